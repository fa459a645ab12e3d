//! Runs through a queue on a real NATS server. The result always equals that of a local run.
//!
//! `scripts/install-queue.sh` installs the server under `target/nats`; `./test.sh` runs that
//! script.

mod hostile;
mod messages;
mod steer;
mod survive;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use nats_fixture::NatsServer;
use records::run_dir::RunDir;
use serde_json::Value;

use crate::binary::{Binary, Ran, Running};

/// Flags of a run with a coordinator, up to four children, and wrong answers to some samples, so
/// that scores can differ.
const RUN: [&str; 11] = [
    "run",
    "--benchmark",
    "s-niah",
    "--model",
    "scripted/s-niah-flawed",
    "--prompt-mode",
    "coordinator",
    "--context-len",
    "2k",
    "--isolation",
    "thread",
];

/// Reproducible pseudorandom number generator (the 64-bit xorshift of G. Marsaglia, 2003).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Returns a binary whose environment names the queue, which resumed runs need.
pub fn binary_with_queue(url: &str) -> Binary {
    Binary::new().variable("EVAL_QUEUE", url)
}

/// Starts the program and redirects stderr to a file with this name.
pub fn start(binary: &Binary, log: &str, args: &[&str]) -> Running {
    let log = fs::File::create(binary.path().join(log)).unwrap();
    let mut command = binary.command(args);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    Running(command.spawn().unwrap())
}

fn worker(binary: &Binary, url: &str, name: &str, more: &[&str]) -> Running {
    let args = [
        &["worker", url, "--name", name, "--concurrency", "3"][..],
        more,
    ]
    .concat();
    start(binary, &format!("{name}.log"), &args)
}

fn log(binary: &Binary, name: &str) -> String {
    fs::read_to_string(binary.path().join(format!("{name}.log"))).unwrap_or_default()
}

/// Waits at most two minutes until a condition holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(
            began.elapsed() < Duration::from_secs(120),
            "timeout: {what}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the only run of `results`, once it has begun.
pub fn only_run(folder: &Path) -> Option<PathBuf> {
    let mut runs = fs::read_dir(folder.join("results")).ok()?;
    let path = runs.next()?.unwrap().path();
    path.join("lock.json").exists().then_some(path)
}

fn dir(binary: &Binary) -> String {
    let dir = only_run(binary.path()).unwrap();
    dir.to_str().unwrap().to_owned()
}

/// Returns the number of records of a run.
pub fn lines(dir: &(impl AsRef<Path> + ?Sized)) -> usize {
    let text = fs::read(dir.as_ref().join("samples.jsonl")).unwrap_or_default();
    String::from_utf8_lossy(&text).matches('\n').count()
}

/// Returns those values of each attempt that do not depend on time or machine.
fn essence(dir: &Path) -> BTreeMap<(String, u32), String> {
    let run = RunDir::open(dir).unwrap();
    assert!(run.truncated_record.is_none());
    let each = run.records.iter().map(|record| {
        let events = fs::read_to_string(run.trajectory(&record.id, record.attempt)).unwrap();
        assert!(events.contains("attempt_end"), "{}", record.id);
        let text = format!(
            "{:?} {:?} {} {:?} {:?} {:?} {:?} {:?}",
            record.score,
            record.status,
            record.iterations,
            record.agents,
            record.llm_calls,
            record.usage,
            record.answer,
            record.sample_index,
        );
        ((record.id.clone(), record.attempt), text)
    });
    each.collect()
}

/// Returns the [`essence`] of a local run with this number of samples.
fn local(samples: &str) -> BTreeMap<(String, u32), String> {
    let quiet = Binary::new();
    let args = [&RUN[..], &["--samples-per-length", samples]].concat();
    let ran = quiet.run(&args, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    essence(&only_run(quiet.path()).unwrap())
}

/// Checks that a queued run is complete and has the same results as a local run.
fn check_whole(binary: &Binary, samples: usize) {
    let dir = only_run(binary.path()).unwrap();
    let wanted = local(&samples.to_string());
    assert_eq!(wanted.len(), samples);
    assert_eq!(essence(&dir), wanted);
    assert_eq!(lines(dir.to_str().unwrap()), samples);
    let csv = fs::read(dir.join("results.csv")).unwrap();
    let rows = csv::Reader::from_reader(csv.as_slice())
        .into_records()
        .count();
    assert_eq!(rows, samples);
    let summary = summary(&dir);
    assert_eq!(summary["attempts"], samples);
    assert_eq!(summary["statuses"]["ok"], samples);
}

fn summary(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("summary.json")).unwrap()).unwrap()
}

fn submit(binary: &Binary, url: &str, samples: &str, more: &[&str]) -> Ran {
    let args = [
        &RUN[..],
        &["--samples-per-length", samples, "--queue", url],
        more,
    ]
    .concat();
    binary.run(&args, "")
}

#[test]
fn queued_run_equals_local_run() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let binary = binary_with_queue(server.url());
    let _first = worker(&binary, server.url(), "first", &[]);
    let _second = worker(&binary, server.url(), "second", &[]);
    let ran = submit(
        &binary,
        server.url(),
        "24",
        &["--min-score", "0.99", "--json"],
    );
    // Scores determine the exit code, as for a local run.
    assert_eq!(ran.code, Some(100), "{ran:?}");
    let printed: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(printed["attempts"], 24);
    check_whole(&binary, 24);
    let status = binary.run(&["queue", "status", "--queue", server.url()], "");
    assert_eq!(
        (status.code, status.stdout.as_str()),
        (Some(0), ""),
        "{status:?}"
    );
    let again = binary.run(&["run", "--resume", &dir(&binary), "--queue", "none"], "");
    assert_eq!(again.code, Some(100), "{again:?}");
}

#[test]
fn rejects_invalid_queue_settings() {
    let rows: [(&[&str], &str); 9] = [
        (
            &[
                "--queue",
                "nats://127.0.0.1:1",
                "--detach",
                "--time-limit",
                "9",
            ],
            "--time-limit has no effect with --detach",
        ),
        (
            &["--queue", "nats://me:secret@localhost"],
            "it must not contain a user or password",
        ),
        (
            &["--queue", "nats://127.0.0.1:1"],
            "cannot connect to the NATS server",
        ),
        (
            &["--queue", "nats://127.0.0.1:1", "--record", "x"],
            "--record cannot be combined with --queue",
        ),
        (
            &["--queue", "nats://127.0.0.1:1", "--record-requests"],
            "--record-requests cannot be combined with --queue",
        ),
        (
            &["--queue", "nats://127.0.0.1:1", "--partition", "1/2"],
            "--partition cannot be combined with --queue",
        ),
        (
            &["--queue", "nats://127.0.0.1:1", "--queue-replicas", "2"],
            "expected 1, 3 or 5",
        ),
        (&["--detach"], "--queue"),
        (&["--queue-creds", "none"], "--queue-creds requires --queue"),
    ];
    for (flags, wanted) in rows {
        let binary = Binary::new();
        let ran = binary.run(&[&RUN[..], flags].concat(), "");
        assert_ne!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stderr.contains(wanted), "{ran:?}");
        assert!(!ran.stderr.contains("secret"), "{ran:?}");
        assert!(
            only_run(binary.path()).is_none(),
            "{flags:?} leaves a folder"
        );
    }
}
