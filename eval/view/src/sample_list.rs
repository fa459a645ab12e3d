//! The attempts of a run as a page of a table: filtered, searched, sorted.

use std::cmp::Ordering;

use model::Status;
use records::AttemptRecord;
use serde::Serialize;
use serde_json::Value;

use super::error::ViewError;
use super::query::Query;

/// Characters of an answer that a row shows.
const SHOWN: usize = 160;

/// Rows of a page at most.
const PAGE: usize = 500;

/// A page of attempts.
#[derive(Debug, Serialize)]
pub struct SamplePage<'a> {
    /// Attempts that the run has records of.
    pub total: usize,
    /// Those that pass the filter and the search.
    pub matching: usize,
    /// Rows before this page.
    pub offset: usize,
    /// The rows.
    pub rows: Vec<Row<'a>>,
}

/// An attempt as a row.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    id: &'a str,
    attempt: u32,
    status: Status,
    score: Option<f64>,
    answer: Option<String>,
    expected: String,
    error: Option<String>,
    iterations: u32,
    agents: Option<u32>,
    tokens: Option<u64>,
    cost_usd: Option<f64>,
    time_s: f64,
}

/// The page that a request asks for: `filter` (`wrong`, `errors`, `limit`, `delegated`), `search` (a text in id, answer,
/// expected or error, in any case), `sort` with `descending`, `offset` and `limit`.
///
/// # Errors
/// [`ViewError::Parameter`] for a filter or a column that there is not.
pub fn page<'a>(records: &'a [AttemptRecord], query: &Query) -> Result<SamplePage<'a>, ViewError> {
    let filter = filter(query.get("filter").unwrap_or_default())?;
    let order = order(query.get("sort").unwrap_or_default())?;
    let search = query
        .get("search")
        .unwrap_or_default()
        .trim()
        .to_lowercase();
    let mut found: Vec<&AttemptRecord> = records
        .iter()
        .filter(|record| filter(record) && holds(record, &search))
        .collect();
    found.sort_by(|a, b| by_id(a, b));
    // Stable: equals stay in the order of their ids.
    if query.get("descending").is_some() {
        found.sort_by(|a, b| order(b, a));
    } else {
        found.sort_by(|a, b| order(a, b));
    }
    let offset = query.number("offset", 0)?;
    let limit = query.number("limit", PAGE)?.min(PAGE);
    let rows = found
        .iter()
        .skip(offset)
        .take(limit)
        .map(|record| row(record));
    Ok(SamplePage {
        total: records.len(),
        matching: found.len(),
        offset,
        rows: rows.collect(),
    })
}

/// Whether an attempt is scored and not fully right.
pub fn is_wrong(record: &AttemptRecord) -> bool {
    record.score.is_some_and(|score| score < 1.0)
}

/// The right answer as a text: texts as they are, the rest as JSON.
pub fn expected(record: &AttemptRecord) -> String {
    match &record.expected {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// The first characters of a text, and a mark where more follow.
pub fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Attempts by their ids in the order of [`natural`], then by their numbers.
pub fn in_order((id, number): (&str, u32), (other, of_other): (&str, u32)) -> Ordering {
    natural(id, other)
        .then_with(|| id.cmp(other))
        .then(number.cmp(&of_other))
}

fn by_id(a: &AttemptRecord, b: &AttemptRecord) -> Ordering {
    in_order((&a.id, a.attempt), (&b.id, b.attempt))
}

/// Ids in the order that people expect: `s-2` before `s-10`.
pub fn natural(a: &str, b: &str) -> Ordering {
    let mut parts = (Parts(a), Parts(b));
    loop {
        let order = match (parts.0.next(), parts.1.next()) {
            (None, None) => return Ordering::Equal,
            (a, b) => a.cmp(&b),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn row(record: &AttemptRecord) -> Row<'_> {
    Row {
        id: &record.id,
        attempt: record.attempt,
        status: record.status,
        score: record.score,
        answer: record.answer.as_deref().map(|text| beginning(text, SHOWN)),
        expected: beginning(&expected(record), SHOWN),
        error: record.error.as_deref().map(|text| beginning(text, SHOWN)),
        iterations: record.iterations,
        agents: record.agents,
        tokens: tokens(record),
        cost_usd: record.cost_usd,
        time_s: record.total_time_s,
    }
}

fn tokens(record: &AttemptRecord) -> Option<u64> {
    let usage = record.usage?;
    Some(usage.input_tokens + usage.output_tokens)
}

fn filter(name: &str) -> Result<fn(&AttemptRecord) -> bool, ViewError> {
    Ok(match name {
        "" => |_| true,
        "wrong" => is_wrong,
        "errors" => |record| record.status == Status::Error,
        "limit" => |record| record.status == Status::Limit,
        "delegated" => |record| record.delegations.is_some_and(|count| count > 0),
        _ => {
            return Err(ViewError::Parameter {
                name: "filter",
                problem: format!("`{name}`; known: wrong, errors, limit, delegated"),
            });
        }
    })
}

type Order = fn(&AttemptRecord, &AttemptRecord) -> Ordering;

fn order(name: &str) -> Result<Order, ViewError> {
    Ok(match name {
        "" => |_, _| Ordering::Equal,
        "id" => by_id,
        "status" => |a, b| a.status.as_str().cmp(b.status.as_str()),
        "score" => |a, b| figure(a.score, b.score),
        "iterations" => |a, b| a.iterations.cmp(&b.iterations),
        "agents" => |a, b| a.agents.cmp(&b.agents),
        "tokens" => |a, b| tokens(a).cmp(&tokens(b)),
        "cost" => |a, b| figure(a.cost_usd, b.cost_usd),
        "time" => |a, b| a.total_time_s.total_cmp(&b.total_time_s),
        _ => {
            return Err(ViewError::Parameter {
                name: "sort",
                problem: format!(
                    "`{name}`; known: id, status, score, iterations, agents, tokens, cost, time"
                ),
            });
        }
    })
}

/// What is unknown comes first.
fn figure(a: Option<f64>, b: Option<f64>) -> Ordering {
    let rank = |value: Option<f64>| value.unwrap_or(f64::NEG_INFINITY);
    rank(a).total_cmp(&rank(b))
}

fn holds(record: &AttemptRecord, search: &str) -> bool {
    let within = |text: &str| text.to_lowercase().contains(search);
    search.is_empty()
        || within(&record.id)
        || record.answer.as_deref().is_some_and(within)
        || record.error.as_deref().is_some_and(within)
        || within(&expected(record))
}

/// A text as runs of digits and runs of other characters.
struct Parts<'a>(&'a str);

/// Numbers by their value: without leading zeros, by length and then by digits.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    Number(usize, &'a str),
    Text(&'a str),
}

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        let digit = self.0.chars().next()?.is_ascii_digit();
        let end = self.0.find(|c: char| c.is_ascii_digit() != digit);
        let (part, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        if !digit {
            return Some(Part::Text(part));
        }
        let number = part.trim_start_matches('0');
        Some(Part::Number(number.len(), number))
    }
}

#[cfg(test)]
mod tests {
    use super::natural;

    #[test]
    fn ids_go_by_their_numbers() {
        let mut ids = [
            "s-10", "s-9", "a", "s-9-2", "s-9-10", "", "10", "9", "s-009x",
        ];
        ids.sort_by(|a, b| natural(a, b));
        let wanted = [
            "", "9", "10", "a", "s-9", "s-9-2", "s-9-10", "s-009x", "s-10",
        ];
        assert_eq!(ids, wanted);
    }
}
