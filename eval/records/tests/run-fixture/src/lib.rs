//! An example run for tests: its identity, records, events and directory.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use model::{Event, EventKind, Status};
use records::run_dir::{Fingerprint, Lock};
use records::{AttemptRecord, RunIdentity};
use serde_json::json;

/// Returns the record of a successful attempt, which test cases modify.
pub fn record(id: &str, attempt: u32) -> AttemptRecord {
    let record: AttemptRecord = serde_json::from_str(include_str!("../../record.json")).unwrap();
    AttemptRecord {
        id: id.to_owned(),
        attempt,
        ..record
    }
}

/// Returns the record of a failed attempt.
pub fn failed(id: &str, attempt: u32, error: &str) -> AttemptRecord {
    AttemptRecord {
        status: Status::Error,
        score: None,
        score_explanation: None,
        answer: None,
        error: Some(error.to_owned()),
        ..record(id, attempt)
    }
}

/// Returns the values that all attempts of a run share.
pub fn identity(run_id: &str) -> RunIdentity {
    RunIdentity {
        run_id: run_id.to_owned(),
        benchmark: "s-niah".to_owned(),
        model: "scripted/needle".to_owned(),
        protocol: "rlm".to_owned(),
        prompt_mode: Some("coordinator".to_owned()),
        drivers: Some("no-tables+verify".to_owned()),
        max_depth: 2,
        max_iterations: 15,
        dataset_digest: "d1".to_owned(),
        scorer: "needle/1".to_owned(),
        fingerprint: "f1".to_owned(),
    }
}

/// Returns an event of an agent at the given depth, in the first attempt at the sample.
pub fn event(sample: &str, invocation: &str, depth: u32, kind: EventKind) -> Event {
    Event {
        run_id: "run".to_owned(),
        at_ms: Some(0.5),
        invocation: invocation.to_owned(),
        parent: (depth > 0).then(|| "root".to_owned()),
        depth,
        ..Event::of_root(sample, 1, kind)
    }
}

/// Writes the directory of a complete run with one attempt at the sample `s-1`. The trajectory has
/// one event.
pub fn write_run_dir(path: &Path) {
    let id = path.file_name().unwrap().to_str().unwrap();
    let lock = Lock::new(Fingerprint::from_parts(BTreeMap::new()), identity(id));
    let first = event("s-1", "root", 0, EventKind::IterationStart { iteration: 1 });
    fs::create_dir_all(path.join("trajectories")).unwrap();
    for (file, value) in [
        ("config.json", json!({"v": 1, "attempts_total": 1})),
        ("lock.json", json!(lock)),
        ("samples.jsonl", json!(record("s-1", 1))),
        ("trajectories/s-1.1.jsonl", json!(first)),
    ] {
        fs::write(path.join(file), format!("{value}\n")).unwrap();
    }
}
