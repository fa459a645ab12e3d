//! An example run to store and display: identity, records and events.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use eval::run::event::RunPlan;
use harness::model::{EVENT_VERSION, Event, EventKind, Status};
use records::{AttemptRecord, RunIdentity};

/// Returns the record of a successful attempt, which test cases modify.
pub fn record(id: &str, attempt: u32) -> AttemptRecord {
    let record: AttemptRecord =
        serde_json::from_str(include_str!("../../records/tests/record.json")).unwrap();
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

pub fn plan(attempts_total: u64, attempts_done: u64, concurrency: usize) -> RunPlan {
    RunPlan {
        scores_done: Vec::new(),
        budget: harness::Budget::default(),
        run_id: "run".to_owned(),
        dir: "results/run".into(),
        identity: identity("run"),
        attempts_total,
        attempts_done,
        concurrency,
    }
}

/// Returns an event of an agent at the given depth, in the first attempt at the sample.
pub fn event(sample: &str, invocation: &str, depth: u32, kind: EventKind) -> Event {
    Event {
        v: EVENT_VERSION,
        run_id: "run".to_owned(),
        sample: sample.to_owned(),
        attempt: 1,
        at_ms: Some(0.5),
        invocation: invocation.to_owned(),
        parent: (depth > 0).then(|| "root".to_owned()),
        depth,
        kind,
    }
}
