//! Tests for building records and for their JSON form.

use std::time::Duration;

use benchmarks::Score;
use harness::model::{Stats, Usage};
use records::counted;
use serde_json::json;

use std::collections::BTreeMap;

use super::*;

fn run() -> RunIdentity {
    RunIdentity {
        run_id: "run".to_owned(),
        benchmark: "s-niah".to_owned(),
        model: "scripted/x".to_owned(),
        protocol: "rlm".to_owned(),
        prompt_mode: Some("solver".to_owned()),
        drivers: Some(String::new()),
        max_depth: 2,
        max_iterations: 15,
        dataset_digest: "d".to_owned(),
        scorer: "needle/1".to_owned(),
        fingerprint: "f".to_owned(),
    }
}

fn sample() -> Sample {
    Sample {
        id: "s-1".to_owned(),
        query: "?".to_owned(),
        context: "…".to_owned().into(),
        expected: json!("42"),
        metadata: BTreeMap::from([("context_length".to_owned(), json!(8000))]),
        cluster: Some("c".to_owned()),
        ..Sample::default()
    }
}

fn outcome(status: Status, answer: Option<&str>) -> AttemptOutcome {
    AttemptOutcome {
        earlier_answers: Vec::new(),
        status,
        answer: answer.map(str::to_owned),
        error: None,
        refused: false,
        state: None,
        stats: Stats::default(),
    }
}

#[test]
fn status_decides_whether_a_score_counts() {
    let right = Grade::of(Score::new(1.0, "found"));
    let broken = Grade::failed("s.js:1: Error: no");
    let late = "no answer within the limits";
    let rows = [
        (Status::Ok, Some("42"), Some(&right), Some((1.0, "found"))),
        (Status::Ok, Some("42"), None, None),
        (
            Status::Limit,
            Some("42"),
            Some(&right),
            Some((1.0, "found")),
        ),
        (Status::Limit, None, None, Some((0.0, late))),
        (Status::Ok, Some("42"), Some(&broken), None),
        (Status::Error, None, None, None),
        (Status::Error, Some("42"), Some(&right), None),
        (Status::Cancelled, None, None, None),
    ];
    for (status, answer, score, wanted) in rows {
        let outcome = outcome(status, answer);
        let failed = score == Some(&broken);
        let grade = score.cloned();
        let record = of_attempt(&run(), &sample(), 1, &outcome, grade, Timestamp::UNIX_EPOCH);
        assert_eq!(
            record.status == Status::Error,
            failed || status == Status::Error
        );
        let why = "the scorer failed: s.js:1: Error: no".to_owned();
        assert_eq!(record.error, failed.then_some(why));
        let wanted = wanted.map(|(score, explanation)| (score, explanation.to_owned()));
        assert_eq!(
            record.score.zip(record.score_explanation),
            wanted,
            "{status} {answer:?}"
        );
    }
}

#[test]
fn records_round_trip_through_json() {
    let mut outcome = outcome(Status::Ok, Some("42"));
    outcome.stats = Stats {
        iterations: 1,
        agents: 2,
        depth_reached: 3,
        llm_calls: 4,
        retries: 13,
        cached_calls: 14,
        cached_usage: Some(Usage {
            input_tokens: 1,
            ..Usage::default()
        }),
        context_trims: 15,
        cut_prompts: 16,
        usage: Some(Usage {
            input_tokens: 5,
            cached_input_tokens: 6,
            cache_write_tokens: 16,
            output_tokens: 7,
            reasoning_tokens: 8,
            estimated: true,
        }),
        known_cost_usd: Some(0.5),
        unpriced_calls: 0,
        protocol_faults: 9,
        delegations: 10,
        unawaited: 11,
        failed_cells: 12,
        returned_early: true,
        continued: false,
        total: Duration::from_millis(2500),
        busy: Duration::from_millis(1500),
        waiting: Duration::from_millis(500),
    };
    let started_at = "2026-11-21T09:24:06.5Z".parse().unwrap();
    let record = of_attempt(&run(), &sample(), 3, &outcome, None, started_at);
    let json = json!({
        "v": 1, "run_id": "run", "id": "s-1", "attempt": 3, "cluster": "c", "status": "ok",
        "score": null, "score_explanation": null, "error": null, "answer": "42", "expected": "42",
        "metadata": {"context_length": 8000}, "iterations": 1, "agents": 2, "depth_reached": 3, "llm_calls": 4,
        "usage": {
            "input_tokens": 5, "cached_input_tokens": 6, "cache_write_tokens": 16, "output_tokens": 7,
            "reasoning_tokens": 8, "estimated": true,
        },
        "cost_usd": 0.5, "total_time_s": 2.5, "working_time_s": 2.0, "overhead_ms": 500.0,
        "retries": 13, "cached_calls": 14,
        "cached_usage": {
            "input_tokens": 1, "cached_input_tokens": 0, "cache_write_tokens": 0, "output_tokens": 0,
            "reasoning_tokens": 0, "estimated": false,
        },
        "context_trims": 15, "cut_prompts": 16, "protocol_faults": 9, "delegations": 10, "unawaited": 11, "failed_cells": 12,
        "returned_early": true, "program": program::this().digest(), "started_at": "2026-11-21T09:24:06.5Z",
    });
    assert_eq!(serde_json::to_value(&record).unwrap(), json);
    assert_eq!(
        serde_json::from_value::<AttemptRecord>(json).unwrap(),
        record
    );
}

#[test]
fn zero_usage_in_old_records_means_unknown() {
    let rows = [
        (
            json!({"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "reasoning_tokens": 0, "estimated": false}),
            None,
        ),
        (json!(null), None),
        (
            json!({"input_tokens": 2, "cached_input_tokens": 0, "output_tokens": 1, "reasoning_tokens": 0, "estimated": false}),
            Some(3),
        ),
    ];
    for (json, wanted) in rows {
        let usage = counted(&json).unwrap();
        assert_eq!(usage.map(|usage| usage.total()), wanted, "{json}");
    }
}
