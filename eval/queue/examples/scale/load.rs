//! Computes the load of a run on broker, submitter and disk, relative to their capacity.

use std::fmt::Write as _;

/// Capacity of one broker, one submitter and one disk per second, as measured on a machine with two
/// cores (`docs/guides/queue.md` describes how).
pub struct Capacity {
    /// Messages per second through one broker, in both directions.
    pub messages: f64,
    /// Records stored by one submitter per second.
    pub records: f64,
    /// Bytes written to one disk per second.
    pub bytes: f64,
}

pub const MEASURED: Capacity = Capacity {
    messages: 70_000.0,
    records: 700.0,
    bytes: 200e6,
};

struct Run {
    workers: f64,
    concurrency: f64,
    attempts: f64,
    /// Mean duration of an attempt in seconds.
    seconds: f64,
    /// Number of model responses in an attempt.
    responses: f64,
    /// Bytes of an attempt's record and trajectory.
    bytes: f64,
}

/// Seconds between two heartbeats of a worker.
const HEARTBEAT_INTERVAL: f64 = 2.0;
/// Minimum seconds between two spending reports of a worker.
const MIN_REPORT_INTERVAL: f64 = 0.5;
/// Minimum mean seconds between two spending reports of any workers of the run.
const MIN_REPORT_INTERVAL_PER_WORKER: f64 = 0.005;
/// Seconds between two lease extensions of an attempt: a third of the default lease.
const KEEP: f64 = 10.0;
/// Maximum bytes of one piece of a result.
const PIECE: f64 = 262_144.0;

impl Run {
    /// Returns the number of attempts finished per second if the workers are the bottleneck.
    fn rate(&self) -> f64 {
        self.workers * self.concurrency / self.seconds
    }

    /// Returns the number of messages per second through the broker, in both directions.
    fn messages(&self) -> f64 {
        // For each piece: the piece, the reply, the submitter's request for the piece, and its
        // reply.
        let pieces = if self.bytes > PIECE {
            4.0 * (self.bytes / PIECE).ceil()
        } else {
            0.0
        };
        // Submission and reply; request, delivery and acknowledgment; record, reply and delivery to
        // the submitter; journal messages and replies.
        let of_attempt = 2.0 + 3.0 + 3.0 + pieces + 2.0 * self.responses;
        let kept = self.workers * self.concurrency / KEEP;
        // Heartbeat and reply; request for the number of workers and reply.
        let signs = self.workers * 4.0 / HEARTBEAT_INTERVAL;
        let report_interval =
            MIN_REPORT_INTERVAL.max(MIN_REPORT_INTERVAL_PER_WORKER * self.workers);
        let reports = self.workers * 4.0 / report_interval;
        self.rate() * of_attempt + kept + signs + reports
    }
}

/// Returns a Markdown table with the load of runs of several sizes, and its share of the measured
/// capacity.
pub fn table() -> String {
    let mut text =
        "| workers | concurrency | seconds | kB | attempts a second | messages a second \
        | of one broker | of one submitter | MB a second | of one disk | hours for a million \
        attempts | disk space for a million attempts \
        |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    let rows = [
        (8.0, 4.0, 0.01, 4.0),
        (100.0, 8.0, 60.0, 100.0),
        (1_000.0, 8.0, 60.0, 100.0),
        (1_000.0, 8.0, 10.0, 100.0),
        (1_000.0, 8.0, 600.0, 1_000.0),
    ];
    for (workers, concurrency, seconds, kilobytes) in rows {
        let run = Run {
            workers,
            concurrency,
            attempts: 1e6,
            seconds,
            responses: if seconds < 1.0 { 1.0 } else { 6.0 },
            bytes: kilobytes * 1e3,
        };
        let (rate, messages) = (run.rate(), run.messages());
        let bytes = rate * run.bytes;
        let slowest = (messages / MEASURED.messages)
            .max(rate / MEASURED.records)
            .max(bytes / MEASURED.bytes)
            .max(1.0);
        let _ = writeln!(
            text,
            "| {workers} | {concurrency} | {seconds} | {kilobytes} | {rate:.0} | {messages:.0} | {:.0} % | {:.0} % | {:.1} | {:.0} % | {:.1} h | {:.0} GB |",
            100.0 * messages / MEASURED.messages,
            100.0 * rate / MEASURED.records,
            bytes / 1e6,
            100.0 * bytes / MEASURED.bytes,
            run.attempts / rate * slowest / 3600.0,
            run.attempts * run.bytes / 1e9,
        );
    }
    text
}
