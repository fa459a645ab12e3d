//! Tests the groups of failures in a run that contains every kind of failure.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Traces, failures};
use crate::error::ViewError;
use crate::run_file::RunFile;

fn line(changes: &Value) -> String {
    let mut record: Value =
        serde_json::from_str(include_str!("../../../records/tests/record.json")).unwrap();
    for (name, value) in changes.as_object().unwrap() {
        record[name] = value.clone();
    }
    format!("{record}\n")
}

fn events(sample: &str, kinds: &[(&str, Value)]) -> String {
    let lines = kinds.iter().map(|(invocation, kind)| {
        let depth = u32::from(*invocation != "root");
        json!({"v": 1, "run_id": "one", "sample": sample, "attempt": 1, "at_ms": 1.0, "invocation": invocation,
            "parent": null, "depth": depth, "kind": kind})
        .to_string()
    });
    lines.map(|line| line + "\n").collect()
}

fn cell(error: Option<&str>) -> Value {
    json!({"type": "iteration_end", "iteration": 1, "code": "x", "output": "", "error": error, "returned": null,
        "intercepted": null, "executed_ms": null, "dropped_blocks": null})
}

fn answered(answer: &str) -> Value {
    json!({"type": "invocation_end", "status": "ok", "answer": answer, "error": null, "iterations": 1})
}

/// Creates a run in `folder` that contains every kind of failure.
fn run(folder: &Path) -> RunFile {
    let identity = json!({
        "run_id": "one", "benchmark": "s-niah", "model": "scripted", "protocol": "rlm", "prompt_mode": "solver",
        "drivers": "", "max_depth": 2, "max_iterations": 15, "dataset_digest": "d", "scorer": "needle/1",
        "fingerprint": "f",
    });
    let lock = json!({"v": 1, "fingerprint": {"sha256": "f", "parts": {}}, "run": identity});
    let error =
        |text: &str| json!({"status": "error", "score": null, "answer": null, "error": text});
    let limit = |text: &str| json!({"status": "limit", "score": 0.0, "answer": null, "error": text, "cost_usd": 0.5});
    let wrong = |answer: &str| json!({"score": 0.0, "answer": answer, "cost_usd": 0.25});
    let records = [
        ("right", json!({})),
        ("error-1", error("request 17 failed: 503")),
        ("error-2", error("request 4 failed: 503")),
        ("limit-1", limit("time limit: 90 s")),
        ("limit-2", limit("time limit: 60 s")),
        ("limit-3", limit("token limit: 9")),
        ("form", wrong("The answer is 42.")),
        ("child", wrong("41")),
        ("call-1", wrong("40")),
        ("call-2", wrong("39")),
        (
            "early",
            json!({"score": 0.5, "answer": "38", "returned_early": true}),
        ),
        ("plain", wrong("37")),
        (
            "stopped",
            json!({"status": "cancelled", "score": null, "answer": null}),
        ),
    ];
    let lines = records.map(|(id, mut changes)| {
        changes["id"] = id.into();
        line(&changes)
    });
    fs::write(folder.join("lock.json"), lock.to_string()).unwrap();
    fs::write(folder.join("config.json"), "{\"v\":1}").unwrap();
    fs::write(folder.join("samples.jsonl"), lines.concat()).unwrap();
    let trajectories = folder.join("trajectories");
    fs::create_dir(&trajectories).unwrap();
    let of = |sample: &str, kinds: &[(&str, Value)]| {
        let path = trajectories.join(format!("{sample}.1.jsonl"));
        fs::write(path, events(sample, kinds)).unwrap();
    };
    let type_error = "TypeError: x is not a function\n    at cell 3";
    of(
        "child",
        &[
            ("d1-c0", answered("41")),
            ("d1-c1", answered("42 ")),
            ("root", cell(None)),
        ],
    );
    of("form", &[("d1-c0", answered("42"))]);
    of(
        "call-1",
        &[("root", cell(Some(type_error))), ("root", cell(None))],
    );
    of(
        "call-2",
        &[("root", cell(Some("TypeError: y is undefined")))],
    );
    of(
        "plain",
        &[
            ("root", cell(Some(type_error))),
            ("root", cell(None)),
            ("root", cell(None)),
        ],
    );
    RunFile::open(folder, None).unwrap()
}

#[test]
fn groups_similar_failures() {
    let folder = tempfile::tempdir().unwrap();
    let file = run(folder.path());
    let inside = |_: &Path| Ok::<(), ViewError>(());
    let traces = Traces::default();
    let hurried = failures(&traces, &file, inside, Duration::ZERO);
    assert_eq!((hurried.read, hurried.to_read), (0, 5));
    let found = failures(&traces, &file, inside, Duration::from_secs(60));
    let kinds = |group: &super::Group| {
        let samples: Vec<String> = group
            .samples
            .iter()
            .map(|one| match &one.detail {
                None => one.id.clone(),
                Some(detail) => format!("{} ({detail})", one.id),
            })
            .collect();
        json!([
            group.kind,
            group.text,
            group.count,
            group.cost_usd,
            group.cost_unknown,
            samples.join(" ")
        ])
    };
    let mut groups: Vec<Value> = found.groups.iter().map(kinds).collect();
    groups.sort_by_key(Value::to_string);
    let wanted = json!([
        ["call", "cell: TypeError", 2, 0.5, 0, "call-1 call-2"],
        ["cancelled", null, 1, null, 1, "stopped"],
        ["child_right", null, 1, 0.25, 0, "child (d1-c1)"],
        [
            "error",
            "request # failed: #",
            2,
            null,
            2,
            "error-1 error-2"
        ],
        ["form", null, 1, 0.25, 0, "form (in a sentence)"],
        ["limit", "time limit: # s", 2, 1.0, 0, "limit-1 limit-2"],
        ["limit", "token limit: #", 1, 0.5, 0, "limit-3"],
        ["returned_early", null, 1, null, 1, "early"],
    ]);
    assert_eq!(json!(groups), wanted);
    assert_eq!(
        (found.failed, found.unexplained, found.read, found.to_read),
        (12, 1, 5, 5)
    );
    let keys = &found.of[&("limit-1".to_owned(), 1)];
    assert_eq!(keys, &found.of[&("limit-2".to_owned(), 1)]);
    // The length of the file is unchanged, so its cached trace is used.
    let again = failures(&traces, &file, inside, Duration::ZERO);
    assert_eq!((again.read, again.to_read), (5, 5));
}

#[test]
fn each_call_reads_a_trajectory() {
    let folder = tempfile::tempdir().unwrap();
    let file = run(folder.path());
    let inside = |_: &Path| Ok::<(), ViewError>(());
    let traces = Traces::default();
    for calls in 1..=5 {
        let found = failures(&traces, &file, inside, Duration::from_nanos(1));
        // No time is left for a second one.
        assert_eq!(found.read, calls);
    }
}
