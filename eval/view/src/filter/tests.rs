//! Test cases of filter expressions: matches and errors.

use records::{AttemptRecord, RunIdentity};
use serde_json::{Value, json};

use super::{FailureGroups, Filter, FilteredAttempt};

fn record(changes: &Value) -> AttemptRecord {
    let mut record: Value =
        serde_json::from_str(include_str!("../../../records/tests/record.json")).unwrap();
    for (name, value) in changes.as_object().unwrap() {
        record[name] = value.clone();
    }
    serde_json::from_value(record).unwrap()
}

fn identity() -> RunIdentity {
    serde_json::from_value(json!({
        "run_id": "one", "benchmark": "s-niah", "model": "openai/gpt-test", "protocol": "rlm", "prompt_mode": "solver",
        "drivers": "", "max_depth": 2, "max_iterations": 15, "dataset_digest": "d", "scorer": "needle/1",
        "fingerprint": "f",
    }))
    .unwrap()
}

#[test]
fn filters_attempts_by_expression() {
    let run = identity();
    let records = [
        record(&json!({"id": "right"})),
        record(
            &json!({"id": "slow", "score": 0.0, "status": "limit", "total_time_s": 95.0, "cost_usd": 0.25,
            "agents": 5, "answer": null, "error": "Time limit: 90 s", "metadata": {"length": 8000, "Kind": "Long one"}}),
        ),
        record(
            &json!({"id": "broken", "score": null, "status": "error", "error": "503 a=b overloaded", "answer": null}),
        ),
    ];
    let mut marks = FailureGroups::default();
    marks.insert(("slow".to_owned(), 1), vec!["limit-1a2b3c".to_owned()]);
    let rows = [
        ("", "right slow broken"),
        ("score<1", "slow"),
        ("score<=1 status:ok", "right"),
        ("score:none", "broken"),
        ("score!=none", "right slow"),
        ("status:limit,error", "slow broken"),
        ("status!=ok", "slow broken"),
        ("agents>3 time>60s cost>0.1", "slow"),
        ("time<1.5m", "right broken"),
        ("time>=95000ms", "slow"),
        ("cost>$0.2", "slow"),
        ("tokens>1k", "right slow broken"),
        ("tokens>=1.05k", "right slow broken"),
        ("tokens>1.05k", ""),
        ("LIMIT", "slow"),
        ("\"time limit: 90\"", "slow"),
        ("\"score<1\"", ""),
        ("a=b", "broken"),
        ("error:503", "broken"),
        ("error=503", ""),
        ("id=slow", "slow"),
        ("id:\"slo\"", "slow"),
        ("why:limit", "slow"),
        ("why=limit-1a2b3c", "slow"),
        ("why:none", "right broken"),
        ("meta.length>4k", "slow"),
        ("meta.kind:\"long one\"", "slow"),
        ("meta.Kind!=\"long one\"", ""),
        ("meta.Kind!=short", "slow"),
        ("meta.length!=4000", "slow"),
        ("error!=503", "right slow broken"),
        ("meta.Kind:none", "right broken"),
        (
            "model:gpt benchmark=s-niah mode:solver",
            "right slow broken",
        ),
        ("drivers:verify", ""),
        ("https://example.org", ""),
    ];
    for (expression, wanted) in rows {
        let filter = Filter::parse(expression).unwrap();
        let found: Vec<&str> = records
            .iter()
            .filter(|record| filter.matches(&FilteredAttempt::of(&run, record, &marks)))
            .map(|record| record.id.as_str())
            .collect();
        assert_eq!(found.join(" "), wanted, "{expression}");
    }
}

#[test]
fn explains_invalid_expressions() {
    let rows = [
        (
            "scor<1",
            "unknown field `scor`; did you mean `score`? (to search for the text, put it in quotes)",
        ),
        (
            "agent>3",
            "unknown field `agent`; did you mean `agents`? (to search for the text, put it in quotes)",
        ),
        (
            "score<high",
            "invalid value `high` for `score`; write, for example, `score>3`",
        ),
        (
            "time>1d",
            "invalid value `1d` for `time`; write, for example, `time>60s`",
        ),
        (
            "cost>",
            "`cost>` does not have a value; write, for example, `cost>0.1`",
        ),
        (
            "status:wrong",
            "unknown status `wrong`; known: ok, limit, error, cancelled",
        ),
        (
            "id>3",
            "`id` is a text field, which does not support `>`; write `id:text`",
        ),
    ];
    for (expression, wanted) in rows {
        assert_eq!(Filter::parse(expression).unwrap_err(), wanted);
    }
}
