//! The tool `read_run`: shows the attempts of a run, or the steps of one attempt.

use std::fs;

use harness::model::excerpt;
use mcp::Reply;
use records::AttemptRecord;
use records::run_dir::{Events, RunDir};
use report::summary::{Summary, table};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::arguments::parse;
use super::state::ToolState;
use crate::reporter::Narrator;

pub(super) const NAME: &str = "read_run";

/// Width of the summary, in columns.
const WIDTH: u16 = 100;
/// Maximum characters of an answer in a list of attempts.
const SHORT_ANSWER: usize = 200;
/// Maximum characters of an answer when a single attempt is read.
const LONG_ANSWER: usize = 20_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    run: String,
    #[serde(default)]
    sample: Option<String>,
    #[serde(default = "first")]
    attempt: u32,
    #[serde(default)]
    offset: usize,
    #[serde(default = "page")]
    limit: usize,
}

const fn first() -> u32 {
    1
}

const fn page() -> usize {
    50
}

pub(super) async fn call(
    state: &ToolState,
    arguments: Map<String, Value>,
) -> Result<Reply, String> {
    let arguments: Arguments = parse(arguments)?;
    if !(1..=500).contains(&arguments.limit) {
        let limit = arguments.limit;
        return Err(format!(
            "invalid arguments: invalid limit {limit}: expected 1 to 500"
        ));
    }
    let path = state.roots.run(&arguments.run)?;
    let work = move || {
        let run = RunDir::open(&path).map_err(|error| error.to_string())?;
        match &arguments.sample {
            None => whole(&run, &arguments),
            Some(sample) => one(&run, sample, &arguments),
        }
    };
    state.run_blocking(work).await
}

/// Returns the summary and a page of the attempts.
fn whole(run: &RunDir, arguments: &Arguments) -> Result<Reply, String> {
    let summary = Summary::new(&run.records, run.attempts_total());
    let label = run.lock.run.label();
    let mut text = table(&[(&label, &summary)], WIDTH);
    let total = run.records.len();
    let shown: Vec<&AttemptRecord> = run
        .records
        .iter()
        .skip(arguments.offset)
        .take(arguments.limit)
        .collect();
    for record in &shown {
        text += &format!("\n{}", line(record));
    }
    let next = next(arguments, shown.len(), total);
    text += &more(next, total);
    let summary = serde_json::to_value(&summary).map_err(|error| error.to_string())?;
    let attempts: Vec<Value> = shown.iter().map(|record| attempt(record)).collect();
    Ok(Reply {
        text,
        structured: json!({
            "run": run.lock.run,
            "summary": summary,
            "attempts": attempts,
            "total": total,
            "next_offset": next,
        }),
        is_error: false,
    })
}

/// Returns one attempt with a page of its steps. An attempt in progress has steps, but not yet a
/// record.
fn one(run: &RunDir, sample: &str, arguments: &Arguments) -> Result<Reply, String> {
    let number = arguments.attempt;
    let is_it = |record: &&AttemptRecord| record.id == sample && record.attempt == number;
    let record = run.records.iter().find(is_it);
    let path = run.trajectory(sample, number);
    let real = fs::canonicalize(&path).ok();
    if real
        .as_ref()
        .is_some_and(|real| !real.starts_with(&run.path))
    {
        return Err("the trajectory leads outside the run".to_owned());
    }
    if record.is_none() && real.is_none() {
        return Err(format!(
            "the run has no attempt {number} at {sample:?}; without `sample`, this tool lists its attempts"
        ));
    }
    let mut text = String::new();
    if let Some(record) = record {
        text += &format!("{}\n", line(record));
        if let Some(explanation) = &record.score_explanation {
            text += &format!("score: {explanation}\n");
        }
        if let Some(answer) = &record.answer {
            text += &format!("answer: {}\n", excerpt(answer, LONG_ANSWER));
        }
    } else {
        text += &format!("{sample}, attempt {number}: not finished\n");
    }
    let mut narrator = Narrator::default();
    let (mut steps, mut total) = (Vec::new(), 0);
    if real.is_some() {
        let events = Events::open(&path).map_err(|error| error.to_string())?;
        // Skip malformed lines, like the viewer.
        for event in events.flatten() {
            if let Some(step) = narrator.line(&event) {
                if total >= arguments.offset && steps.len() < arguments.limit {
                    steps.push(step);
                }
                total += 1;
            }
        }
    }
    for step in &steps {
        text += &format!("\n{step}");
    }
    let next = next(arguments, steps.len(), total);
    text += &more(next, total);
    Ok(Reply {
        text,
        structured: json!({
            "run": run.lock.run,
            "attempt": record.map(|record| {
                let mut shown = attempt(record);
                let answer = record.answer.as_deref();
                shown["answer"] = json!(answer.map(|answer| excerpt(answer, LONG_ANSWER)));
                shown
            }),
            "steps": steps,
            "total": total,
            "next_offset": next,
        }),
        is_error: false,
    })
}

fn next(arguments: &Arguments, shown: usize, total: usize) -> Option<usize> {
    let next = arguments.offset.saturating_add(shown);
    (shown > 0 && next < total).then_some(next)
}

fn more(next: Option<usize>, total: usize) -> String {
    match next {
        Some(next) => format!("\n[{total} in all; the next page has `offset` {next}]"),
        None => String::new(),
    }
}

/// Describes an attempt in one line.
fn line(record: &AttemptRecord) -> String {
    let mut line = format!(
        "{}, attempt {}: {}",
        record.id, record.attempt, record.status
    );
    if let Some(score) = record.score {
        line += &format!(", score {score}");
    }
    if let Some(error) = &record.error {
        line += &format!(", {}", excerpt(error, SHORT_ANSWER));
    }
    if let Some(answer) = &record.answer {
        let words: Vec<&str> = answer.split_whitespace().collect();
        line += &format!(", answer: {}", excerpt(&words.join(" "), SHORT_ANSWER));
    }
    line
}

fn attempt(record: &AttemptRecord) -> Value {
    let answer = record.answer.as_deref();
    json!({
        "sample": record.id,
        "attempt": record.attempt,
        "status": record.status,
        "score": record.score,
        "score_explanation": record.score_explanation,
        "error": record.error,
        "answer": answer.map(|answer| excerpt(answer, SHORT_ANSWER)),
        "iterations": record.iterations,
        "agents": record.agents,
        "depth_reached": record.depth_reached,
        "llm_calls": record.llm_calls,
        "cost_usd": record.cost_usd,
    })
}
