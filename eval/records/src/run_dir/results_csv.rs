//! `results.csv`: one row per attempt, for spreadsheets and data frames.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

use serde_json::Value;

use crate::{AttemptRecord, RunIdentity};

/// The columns, in order.
pub const COLUMNS: [&str; 34] = [
    "run_id",
    "benchmark",
    "model",
    "protocol",
    "prompt_mode",
    "drivers",
    "max_depth",
    "max_iterations",
    "id",
    "attempt",
    "cluster",
    "score",
    "status",
    "error",
    "answer",
    "expected",
    "iterations",
    "agents",
    "depth_reached",
    "llm_calls",
    "input_tokens",
    "cached_input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cost_usd",
    "total_time_s",
    "working_time_s",
    "overhead_ms",
    "retries",
    "protocol_faults",
    "dataset_digest",
    "scorer",
    "fingerprint",
    "program",
];

/// The file's bytes: RFC 4180, a header and one row per record. An empty cell is a value that is not known.
///
/// Rows go by the place of their sample in `order`, then by attempt; samples that are not in it come last, in the
/// order of the records. `expected` that is not a text is given as JSON.
///
/// # Errors
/// None that memory could raise; the CSV writer's own are passed on.
pub fn to_csv(
    run: &RunIdentity,
    records: &[AttemptRecord],
    order: &[String],
) -> io::Result<Vec<u8>> {
    let places: HashMap<&str, usize> = order
        .iter()
        .enumerate()
        .map(|(place, id)| (id.as_str(), place))
        .collect();
    let mut rows: Vec<_> = records.iter().collect();
    rows.sort_by_key(|record| {
        let place = places.get(record.id.as_str());
        (place.copied().unwrap_or(usize::MAX), record.attempt)
    });

    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for record in rows {
        writer.write_record(row(run, record).iter().map(|cell| cell.as_bytes()))?;
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

fn row<'a>(run: &'a RunIdentity, record: &'a AttemptRecord) -> [Cow<'a, str>; COLUMNS.len()] {
    let usage = record.usage.as_ref();
    [
        Cow::from(&run.run_id),
        Cow::from(&run.benchmark),
        Cow::from(&run.model),
        Cow::from(&run.protocol),
        optional(run.prompt_mode.as_ref()),
        optional(run.drivers.as_ref()),
        number(&run.max_depth),
        number(&run.max_iterations),
        spreadsheet_text(&record.id),
        number(&record.attempt),
        optional(record.cluster.as_ref()),
        figure(record.score.as_ref()),
        Cow::from(record.status.as_str()),
        optional(record.error.as_ref()),
        optional(record.answer.as_ref()),
        expected(&record.expected),
        number(&record.iterations),
        figure(record.agents.as_ref()),
        figure(record.depth_reached.as_ref()),
        figure(record.llm_calls.as_ref()),
        figure(usage.map(|usage| &usage.input_tokens)),
        figure(usage.map(|usage| &usage.cached_input_tokens)),
        figure(usage.map(|usage| &usage.output_tokens)),
        figure(usage.map(|usage| &usage.reasoning_tokens)),
        figure(record.cost_usd.as_ref()),
        number(&record.total_time_s),
        figure(record.working_time_s.as_ref()),
        figure(record.overhead_ms.as_ref()),
        figure(record.retries.as_ref()),
        figure(record.protocol_faults.as_ref()),
        Cow::from(&run.dataset_digest),
        Cow::from(&run.scorer),
        Cow::from(&run.fingerprint),
        Cow::from(record.program.as_deref().unwrap_or_default()),
    ]
}

fn number<'a>(number: &impl ToString) -> Cow<'a, str> {
    Cow::from(number.to_string())
}

/// A number, or an empty cell for one that is not known.
fn figure<'a>(figure: Option<&impl ToString>) -> Cow<'a, str> {
    figure.map(number).unwrap_or_default()
}

fn optional(cell: Option<&String>) -> Cow<'_, str> {
    cell.map_or(Cow::from(""), |cell| spreadsheet_text(cell))
}

fn expected(expected: &Value) -> Cow<'_, str> {
    match expected {
        Value::String(expected) => spreadsheet_text(expected),
        expected => Cow::from(spreadsheet_text(&expected.to_string()).into_owned()),
    }
}

/// A text that a model or a dataset has written, so that a spreadsheet takes it for text.
///
/// Spreadsheets run a cell as a formula that begins with one of these characters; a leading apostrophe, which they do
/// not show, makes it a text (OWASP, "CSV Injection"). A text that looks as if it had been made so gets another one, so that no
/// two texts become one cell. `samples.jsonl` has the text as it was.
pub fn spreadsheet_text(cell: &str) -> Cow<'_, str> {
    if needs_apostrophe(cell) {
        Cow::from(format!("'{cell}"))
    } else {
        Cow::from(cell)
    }
}

/// The text that [`spreadsheet_text`] made a cell of.
pub fn plain_text(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if needs_apostrophe(text) => text,
        _ => cell,
    }
}

fn needs_apostrophe(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(FORMULA)
}

/// Characters that begin a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];
