//! The messages about a run and its attempts and workers, and the limits of their bodies.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::accounts::Amounts;
use crate::envelope::impl_message;
use crate::name::RunKey;

pub use crate::envelope::{MOST_BYTES, Message, VERSION, read, write};

/// Maximum bytes of the body of a result: record and trajectory.
pub const MOST_BODY: u64 = 4 * 1024 * 1024 * 1024;

/// Maximum bytes of a body inside the message itself. A larger body is sent in pieces of at most
/// this size.
pub const PIECE: usize = 256 * 1024;

/// An attempt to run, identified by its sample and number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Version of the message, [`VERSION`].
    pub v: u32,
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// Whether the attempt was submitted before, so that it may have a journal or a result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resubmitted: bool,
}

impl Job {
    /// Creates the message for an attempt that was not submitted before.
    pub const fn new(sample: String, attempt: u32) -> Self {
        Self {
            v: VERSION,
            sample,
            attempt,
            resubmitted: false,
        }
    }
}

/// State of a run, which determines the behavior of workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum State {
    /// Workers take attempts.
    Open,
    /// Workers take no further attempts, but finish their current ones.
    Paused,
    /// A budget is used up. Workers take no further attempts and return their current ones to the
    /// queue.
    Halted {
        /// The exhausted budget and the amount spent.
        reason: String,
    },
    /// The run is cancelled. Workers take no further attempts and abandon their current ones.
    Cancelled,
    /// Every attempt has finished, and all results are stored.
    Complete,
}

/// Manifest of a run in the queue: its description, and the state that workers act on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the message, [`VERSION`].
    pub v: u32,
    /// Key of the run.
    pub key: RunKey,
    /// Id of the run.
    pub run_id: String,
    /// State of the run.
    pub state: State,
    /// Digest of the only program version that may work on the run.
    pub program: String,
    /// Digest of the dataset.
    pub dataset_digest: String,
    /// Fingerprint: the hash of everything that can change an answer.
    pub fingerprint: String,
    /// Values that all records of the run share.
    pub identity: Value,
    /// Flags that the run was started with.
    pub flags: Value,
    /// Number of attempts of the run, finished or not.
    pub attempts_total: u64,
    /// Seconds without a heartbeat after which an attempt is delivered again.
    pub lease_s: u64,
    /// Maximum deliveries of an attempt, not counting those that workers returned. If all of them
    /// are lost, the attempt ends in an error.
    pub max_deliveries: u64,
    /// Budget limits of the run.
    pub limits: Amounts<Option<f64>>,
    /// Ids of samples whose remaining attempts are cancelled.
    #[serde(default)]
    pub cancelled: Vec<String>,
    /// Attempts temporarily taken out of the queue.
    #[serde(default)]
    pub held: Vec<Job>,
    /// Names of workers that no longer take attempts of the run.
    #[serde(default)]
    pub paused_workers: Vec<String>,
    /// Names of workers that no longer take attempts and return their current ones.
    #[serde(default)]
    pub dismissed: Vec<String>,
    /// Time of submission, in milliseconds since 1970.
    pub submitted_ms: u64,
}

impl Manifest {
    /// Whether the runs have the same settings. If not, a worker that has prepared one of them must
    /// prepare the other before it makes its attempts.
    pub fn has_same_settings(&self, other: &Self) -> bool {
        self.program == other.program
            && self.dataset_digest == other.dataset_digest
            && self.fingerprint == other.fingerprint
            && self.identity == other.identity
            && self.flags == other.flags
            && self.lease_s == other.lease_s
            && self.limits == other.limits
    }
}

/// Heartbeat of a worker, sent every few seconds, with its activity for one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerHeartbeat {
    /// Version of the message, [`VERSION`].
    pub v: u32,
    /// Name of the worker.
    pub worker: String,
    /// Host name of the worker's machine.
    pub host: String,
    /// Send time, in milliseconds since 1970 by the worker's clock.
    pub at_ms: u64,
    /// Maximum number of concurrent attempts of the worker.
    pub concurrency: usize,
    /// Attempts of the run that the worker is running.
    pub under_way: Vec<UnderWay>,
    /// Number of attempts of the run that the worker has finished.
    pub finished: u64,
    /// Amounts that the worker has spent on the run.
    pub spent: Amounts<f64>,
    /// Reason why the worker does not work on the run, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfit: Option<String>,
    /// Whether the worker is shutting down.
    #[serde(default)]
    pub leaving: bool,
}

/// An attempt that a worker is running.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnderWay {
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// Time when the worker started the attempt, in milliseconds since 1970 by the worker's clock.
    pub since_ms: u64,
    /// Number of deliveries of the attempt, including this one.
    pub delivery: u64,
    /// Number of requests to models so far.
    pub calls: u64,
}

/// Entry in an attempt's history: a worker restarted the attempt or returned it to the queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestartEntry {
    /// Version of the message, [`VERSION`].
    pub v: u32,
    /// Number of deliveries of the attempt, including this one.
    pub delivery: u64,
    /// Name of the worker.
    pub worker: String,
    /// Time of the entry, in milliseconds since 1970 by the worker's clock.
    pub at_ms: u64,
    /// Previous worker of the attempt and its last heartbeat, as text; `None` if unknown.
    pub before: Option<String>,
    /// Whether the worker returned the attempt to the queue.
    #[serde(default)]
    pub returned: bool,
}

/// Header of an attempt's result. The body follows in the same message, or is stored in pieces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultHeader {
    /// Version of the message, [`VERSION`].
    pub v: u32,
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// Name of the worker that ran the attempt.
    pub worker: String,
    /// Number of deliveries of the attempt, including the one that led to this result.
    pub delivery: u64,
    /// Unique part of the subjects of the pieces.
    pub nonce: String,
    /// Number of pieces of the body; 0 if it is in the same message.
    pub pieces: u64,
    /// Length of the body in bytes.
    pub bytes: u64,
    /// Lowercase hex SHA-256 of the body.
    pub sha256: String,
    /// Format of the body if the result does not count: `trajectory` or `journal`. `None` if the
    /// result counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wasted: Option<String>,
}

/// Number of workers of a run, as counted by one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerCount {
    /// Version of the message, [`VERSION`].
    pub v: u32,
    /// Number of workers with a recent heartbeat.
    pub workers: u32,
}

impl_message! {
    Job: sample;
    Manifest: run_id, program, fingerprint, dataset_digest;
    WorkerHeartbeat: worker, host;
    RestartEntry: worker;
    ResultHeader: sample, worker, nonce;
    WorkerCount: ;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_invalid_messages() {
        let long = format!(r#"{{"v":1,"sample":"{}","attempt":1}}"#, "x".repeat(5000));
        let rows: [(&str, &str); 6] = [
            (r#"{"v":1,"sample":"a","attempt":2}"#, ""),
            (
                r#"{"v":2,"sample":"a","attempt":2}"#,
                "p: version 2 is not supported; this program reads version 1",
            ),
            ("not json", "p: expected ident at line 1 column 2"),
            (
                r#"{"v":1,"sample":"a"}"#,
                "p: missing field `attempt` at line 1 column 20",
            ),
            (
                r#"{"v":1,"sample":"a","attempt":-1}"#,
                "p: invalid value: integer `-1`, expected u32 at line 1 column 32",
            ),
            (&long, "p: id longer than 4096 bytes"),
        ];
        for (text, wanted) in rows {
            let said =
                read::<Job>("p", text.as_bytes()).map_or_else(|e| e.to_string(), |_| String::new());
            assert_eq!(said, wanted, "{text}");
        }
        let said = read::<Job>("p", &vec![b' '; MOST_BYTES + 1])
            .unwrap_err()
            .to_string();
        assert_eq!(
            said,
            "p: message of 1048577 bytes exceeds the maximum of 1048576"
        );
    }
}
