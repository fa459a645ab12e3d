//! `results.csv`: one row per attempt, for spreadsheets and data frames.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

use serde_json::Value;

use crate::{AttemptRecord, RunIdentity};

/// Columns of the file, in order.
pub const COLUMNS: [&str; 35] = [
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
    "refused",
];

/// Returns the content of `results.csv`: a header and one row per record, in the format of RFC
/// 4180. Unknown values are empty cells.
///
/// Rows are sorted by the position of their sample in `order`, then by attempt. Samples that are
/// not in `order` come last, in the order of the records. An `expected` value other than a string
/// is written as JSON.
///
/// # Errors
/// Returns an error of the CSV writer. In practice, writing to memory does not fail.
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
        without_controls(&run.run_id),
        without_controls(&run.benchmark),
        without_controls(&run.model),
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
        number(&u8::from(record.refused)),
    ]
}

fn number<'a>(number: &impl ToString) -> Cow<'a, str> {
    Cow::from(number.to_string())
}

/// Formats a number, or returns an empty cell if it is unknown.
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

/// Returns a safe cell for untrusted text from a model or a dataset. `samples.jsonl` keeps the
/// original text.
///
/// Control characters other than tabs and line ends are escaped as in `\u{1b}`, so that terminals
/// do not interpret them. Spreadsheets treat a cell that begins with one of [`FORMULA`] as a
/// formula. To prevent this, the cell gets a leading apostrophe, which spreadsheets do not display
/// (OWASP, "CSV Injection"). Text that looks escaped already is escaped again, so that different
/// texts never become the same cell.
pub fn spreadsheet_text(text: &str) -> Cow<'_, str> {
    let cell = without_controls(text);
    if needs_apostrophe(&cell) {
        Cow::from(format!("'{cell}"))
    } else {
        cell
    }
}

/// Returns the original text of a cell written by [`spreadsheet_text`].
pub fn plain_text(cell: &str) -> Cow<'_, str> {
    let escaped = match cell.strip_prefix('\'') {
        Some(text) if needs_apostrophe(text) => text,
        _ => cell,
    };
    let Some(mut at) = escaped.find(ESCAPE) else {
        return Cow::from(escaped);
    };
    let (mut text, mut rest) = (String::new(), escaped);
    loop {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        if let Some((character, after)) = escaped_character(from) {
            text.push(character);
            rest = after;
        } else {
            text.push_str(ESCAPE);
            rest = &from[ESCAPE.len()..];
        }
        match rest.find(ESCAPE) {
            Some(next) => at = next,
            None => return Cow::from(text + rest),
        }
    }
}

/// Beginning of an escaped control character.
const ESCAPE: &str = "\\u{";

/// Escapes control characters, and backslashes that would otherwise begin an escape.
fn without_controls(text: &str) -> Cow<'_, str> {
    let needs_escape = |at: usize, character: char| match character {
        '\n' | '\t' => false,
        '\r' => !text[at..].starts_with("\r\n"),
        '\\' => escaped_character(&text[at..]).is_some(),
        character => character.is_control(),
    };
    let mut characters = text.char_indices();
    if !characters.any(|(at, character)| needs_escape(at, character)) {
        return Cow::from(text);
    }
    let mut cell = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        if needs_escape(at, character) {
            cell.extend(character.escape_unicode());
        } else {
            cell.push(character);
        }
    }
    Cow::from(cell)
}

/// Decodes the escape at the beginning of a text. Returns the character and the remaining text.
fn escaped_character(text: &str) -> Option<(char, &str)> {
    let (digits, after) = text.strip_prefix(ESCAPE)?.split_once('}')?;
    let is_escape = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_escape)?;
    Some((char::from_u32(number)?, after))
}

fn needs_apostrophe(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(FORMULA)
}

/// Characters that begin a formula in spreadsheets.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];
