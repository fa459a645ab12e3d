//! `rlm-eval import`: results of other systems become ordinary run directories.

use std::fs;
use std::path::Path;

use harness::model::Status;
use records::run_dir::RunDir;
use report::summary::Summary;
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::run::tree;

const SMALL: &str = include_str!("import/small.json");

fn import(binary: &Binary, more: &[&str]) -> RunDir {
    let args = [&["import", "node-rlm", "small.json"], more].concat();
    let ran = binary.run(&args, "");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    RunDir::open(&binary.path().join(ran.stdout.trim_end())).unwrap()
}

#[test]
fn unknown_values_are_null() {
    let binary = Binary::new().file("small.json", SMALL);
    let run = import(&binary, &[]);
    let id = run.lock.run.run_id.clone();
    assert!(id.starts_with("arc-small-20260213-180206-"), "{id}");
    let files = [
        "config.json",
        "lock.json",
        "results.csv",
        "samples.jsonl",
        "summary.json",
        "trajectories",
        "trajectories/arc-a.1.jsonl",
        "trajectories/arc-b.1.jsonl",
        "trajectories/arc-c.1.jsonl",
    ];
    let found = tree(&run.path);
    assert!(
        files
            .iter()
            .all(|file| found.iter().any(|name| name == file)),
        "{found:?}"
    );

    let records: Vec<Value> = fs::read_to_string(run.path.join("samples.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let known = |id: &str, status: &str, score: Value, expected: Value, more: Value| {
        let mut record = json!({
            "id": id, "status": status, "score": score, "expected": expected, "attempt": 1,
            "error": null, "answer": null, "agents": null, "depth_reached": null, "llm_calls": null,
            "delegations": null, "failed_cells": 0, "cluster": null, "score_explanation": null, "metadata": {},
            "usage": null, "cost_usd": null, "working_time_s": null, "overhead_ms": null, "retries": null,
            "protocol_faults": null, "unawaited": null, "returned_early": null, "started_at": null,
        });
        let more = more.as_object().unwrap().clone();
        record.as_object_mut().unwrap().extend(more);
        record
    };
    let wanted = [
        known(
            "arc-a",
            "ok",
            json!(1.0),
            json!([[1]]),
            json!({
                "answer": "[[1]]", "iterations": 2, "agents": 1, "depth_reached": 0, "llm_calls": 2, "delegations": 0,
                "failed_cells": 1, "total_time_s": 1.5,
            }),
        ),
        // The sample's code calls rlm(), but the results of these calls are not recorded.
        known(
            "arc-b",
            "limit",
            json!(0.0),
            json!([[2]]),
            json!({
                "iterations": 2, "total_time_s": 0.5,
                "error": "RLM reached max iterations (2) without returning an answer",
            }),
        ),
        // An infrastructure failure. Its recorded score of 0 does not count.
        known(
            "arc-c",
            "error",
            Value::Null,
            json!("plain"),
            json!({
                "iterations": 1, "agents": 1, "depth_reached": 0, "llm_calls": 0, "delegations": 0, "total_time_s": 0.0,
                "error": "connection refused",
            }),
        ),
    ];
    for (record, wanted) in records.iter().zip(&wanted) {
        for (field, value) in wanted.as_object().unwrap() {
            assert_eq!(&record[field], value, "{field} of {}", wanted["id"]);
        }
    }
    assert_eq!(records.len(), wanted.len());

    let csv = fs::read_to_string(run.path.join("results.csv")).unwrap();
    let row = csv.lines().nth(2).unwrap();
    let start = format!("{id},arc,anthropic/claude,rlm,,,2,2,arc-b,1,,0,limit,");
    assert!(row.starts_with(&start), "{row}");
    assert!(row.contains(",2,,,,,,,,,0.5,,,,,"), "{row}");
}

#[test]
fn other_error_in_last_iteration_has_no_score() {
    let limit = "RLM reached max iterations (2) without returning an answer";
    let text = SMALL.replace(limit, "429 rate limited");
    let binary = Binary::new().file("small.json", text);
    let run = import(&binary, &[]);
    let record = &run.records[1];
    assert_eq!(record.error.as_deref(), Some("429 rate limited"));
    assert_eq!((record.status, record.score), (Status::Error, None));
}

#[test]
fn keeps_values_given_by_user() {
    let binary = Binary::new().file("small.json", SMALL);
    let plain = import(&binary, &[]).lock;
    let told = import(&binary, &["--prompt-mode", "solver", "--drivers", "a,b"]).lock;
    let none = import(&binary, &["--drivers", ""]).lock;
    let of =
        |lock: &records::run_dir::Lock| (lock.run.prompt_mode.clone(), lock.run.drivers.clone());
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(of(&plain), (None, None));
    assert_eq!(of(&told), (text("solver"), text("a+b")));
    assert_eq!(of(&none), (None, text("")));
    assert_eq!(plain.run.scorer, "recorded/node-rlm");
    assert_eq!(plain.run.dataset_digest, told.run.dataset_digest);
    assert_ne!(plain.fingerprint, told.fingerprint);
}

#[test]
fn imported_run_is_accepted_by_report_and_replay() {
    let binary = Binary::new().file("small.json", SMALL);
    let run = import(&binary, &[]);
    let dir = run.path.to_str().unwrap();
    let report = binary.run(&["report", dir], "");
    assert_eq!(report.code, Some(0), "{report:?}");
    assert!(report.stdout.contains("2/3 (67 %)"), "{}", report.stdout);
    // The imported run is accepted as a recording.
    let replay = binary.run(
        &["ask", "--query", "?", "--model", &format!("replay:{dir}")],
        "",
    );
    assert!(
        replay
            .stderr
            .contains("contains no response for sample ask"),
        "{replay:?}"
    );
}

#[test]
fn reports_invalid_file_and_writes_nothing() {
    let without = |field: &str| SMALL.replacen(&format!("\"{field}\""), "\"x\"", 1);
    let rows = [
        (String::new(), "small.json is not a recording: "),
        (
            "[]".to_owned(),
            "small.json is not a recording: it is an array",
        ),
        (
            without("maxDepth"),
            "small.json: config.maxDepth is missing; expected a whole number",
        ),
        (
            without("score"),
            "small.json: results[0].score is missing; expected a number from 0 to 1",
        ),
        (
            SMALL.replacen("\"score\": 1", "\"score\": 1.5", 1),
            "small.json: results[0].score is 1.5; expected a number from 0 to 1",
        ),
        (
            SMALL.replacen("2026-02-13T", "yesterday ", 1),
            "small.json: timestamp is \"yesterday 18:02:06.491Z\"; expected an RFC 3339 timestamp such as 2026-02-13T18:02:06Z",
        ),
        (
            SMALL.replace("arc-b", "arc-a"),
            "small.json is not a recording: task arc-a is recorded twice",
        ),
    ];
    for (text, message) in rows {
        let binary = Binary::new()
            .file("small.json", text)
            .file("good.json", SMALL);
        let ran = binary.run(&["import", "node-rlm", "good.json", "small.json"], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{message}");
        assert!(
            ran.stderr.starts_with(&format!("error: {message}")),
            "{}",
            ran.stderr
        );
        assert_eq!(
            tree(binary.path()),
            ["good.json", "small.json"],
            "{message}"
        );
    }
}

#[test]
fn imports_recorded_runs_with_scores() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/node-rlm");
    if !data.is_dir() {
        println!("skipped: no data in {}", data.display());
        return;
    }
    let binary = Binary::new();
    let files = ["run-026-drivers.json", "run-027-baseline.json"];
    let paths = files.map(|file| data.join(file).to_string_lossy().into_owned());
    let ran = binary.run(&["import", "node-rlm", &paths[0], &paths[1]], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let runs: Vec<RunDir> = ran
        .stdout
        .lines()
        .map(|line| RunDir::open(&binary.path().join(line)).unwrap())
        .collect();
    let figures: Vec<_> = runs
        .iter()
        .map(|run| {
            let summary = Summary::new(&run.records, 20);
            let right: f64 = run.records.iter().filter_map(|record| record.score).sum();
            (
                right,
                summary.statuses.ok,
                summary.statuses.limit,
                summary.usage,
                summary.cost_usd,
            )
        })
        .collect();
    assert_eq!(
        figures,
        [(13.0, 19, 1, None, None), (8.0, 8, 12, None, None)]
    );
    // Both recordings have the same tasks, in different orders.
    assert_eq!(
        runs[0].lock.run.dataset_digest,
        runs[1].lock.run.dataset_digest
    );
}
