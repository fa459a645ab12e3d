//! The endpoint `samples`: a page of a run's attempts that match the filter and the search, in the
//! requested order.

use std::cmp::Ordering;

use model::{Status, excerpt};
use records::AttemptRecord;
use serde::Serialize;

use super::error::ViewError;
use super::filter::{FailureGroups, Filter, FilteredAttempt};
use super::outcome::{is_wrong, value_text};
use super::query::Query;
use super::run_file::RunFile;

/// Maximum characters of an answer, an expected answer or an error in a row.
const SHOWN: usize = 160;

/// Maximum rows on a page.
const PAGE: usize = 500;

/// A page of attempts.
#[derive(Debug, Serialize)]
pub struct SamplePage<'a> {
    /// Number of attempts with a record.
    pub total: usize,
    /// Number of attempts that match the filter and the search.
    pub matching: usize,
    /// Number of rows before this page.
    pub offset: usize,
    /// Rows of this page.
    pub rows: Vec<Row<'a>>,
}

/// Row of an attempt.
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

/// Returns a page of a list for the parameters `offset` and `limit`.
///
/// # Errors
/// Returns [`ViewError::Parameter`] for an invalid number.
pub fn page<'a>(list: &List<'a>, query: &Query) -> Result<SamplePage<'a>, ViewError> {
    let records = &list.file.run.records;
    let mut found: Vec<&AttemptRecord> =
        records.iter().filter(|record| list.holds(record)).collect();
    found.sort_by(|a, b| list.compare(a, b));
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

/// The attempts of a list and their order. It determines the rows of a page, and the neighbors of
/// an attempt that was opened from the list.
pub struct List<'a> {
    /// The run whose attempts are listed.
    pub file: &'a RunFile,
    filter: fn(&AttemptRecord) -> bool,
    search: Filter,
    marks: FailureGroups,
    order: Order,
    descending: bool,
}

impl<'a> List<'a> {
    /// Creates the list of attempts that match `search`, for the parameters `filter` (`wrong`,
    /// `errors`, `limit`, `delegated`) and `sort` with `descending`. `marks` contains the failure
    /// groups if `search` uses them.
    ///
    /// # Errors
    /// Returns [`ViewError::Parameter`] for an unknown filter or column.
    pub fn of(
        file: &'a RunFile,
        search: Filter,
        marks: FailureGroups,
        query: &Query,
    ) -> Result<Self, ViewError> {
        Ok(Self {
            file,
            filter: filter(query.get("filter").unwrap_or_default())?,
            search,
            marks,
            order: order(query.get("sort").unwrap_or_default())?,
            descending: query.get("descending").is_some(),
        })
    }

    /// Whether the list contains an attempt.
    pub fn holds(&self, record: &AttemptRecord) -> bool {
        let subject = || FilteredAttempt::of(&self.file.run.lock.run, record, &self.marks);
        (self.filter)(record) && self.search.matches(&subject())
    }

    /// Compares two attempts by the selected column, then by id and number.
    pub fn compare(&self, a: &AttemptRecord, b: &AttemptRecord) -> Ordering {
        let order = if self.descending {
            (self.order)(b, a)
        } else {
            (self.order)(a, b)
        };
        order.then_with(|| by_id(a, b))
    }
}

/// Compares attempts by id in [`natural`] order, then by number.
pub fn in_order((id, number): (&str, u32), (other, of_other): (&str, u32)) -> Ordering {
    natural(id, other)
        .then_with(|| id.cmp(other))
        .then(number.cmp(&of_other))
}

fn by_id(a: &AttemptRecord, b: &AttemptRecord) -> Ordering {
    in_order((&a.id, a.attempt), (&b.id, b.attempt))
}

/// Compares ids in natural order: `s-2` before `s-10`.
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
        answer: record.answer.as_deref().map(|text| excerpt(text, SHOWN)),
        expected: excerpt(&value_text(&record.expected), SHOWN),
        error: record.error.as_deref().map(|text| excerpt(text, SHOWN)),
        iterations: record.iterations,
        agents: record.agents,
        tokens: tokens(record),
        cost_usd: record.cost_usd,
        time_s: record.total_time_s,
    }
}

fn tokens(record: &AttemptRecord) -> Option<u64> {
    record.usage.map(|usage| usage.total())
}

fn filter(name: &str) -> Result<fn(&AttemptRecord) -> bool, ViewError> {
    Ok(match name {
        "" => |_| true,
        "wrong" => is_wrong,
        "errors" => |record| record.status == Status::Error,
        "limit" => |record| record.status == Status::Limit,
        "delegated" => |record| record.delegations.is_some_and(|count| count > 0),
        _ => {
            let problem =
                format!("unknown filter `{name}`; known: wrong, errors, limit, delegated");
            return Err(ViewError::parameter("filter", problem));
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
            let problem = format!(
                "unknown column `{name}`; known: id, status, score, iterations, agents, tokens, cost, time"
            );
            return Err(ViewError::parameter("sort", problem));
        }
    })
}

/// Compares two values; an unknown value sorts first.
fn figure(a: Option<f64>, b: Option<f64>) -> Ordering {
    let rank = |value: Option<f64>| value.unwrap_or(f64::NEG_INFINITY);
    rank(a).total_cmp(&rank(b))
}

/// Iterator over alternating runs of digits and of other characters.
struct Parts<'a>(&'a str);

/// Part of an id. Numbers are compared by value: by the number of integer digits, then by the
/// digits. A unit multiplies the number, so `8k` sorts before `1m`.
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
        let mut after = self.0.chars();
        let zeros = match after.next().map(|unit| unit.to_ascii_lowercase()) {
            Some('k') => 3,
            Some('m') => 6,
            Some('g') => 9,
            _ => 0,
        };
        // The letter must not begin a word, as it does in `4models`.
        let is_unit = zeros > 0 && !after.next().is_some_and(char::is_alphanumeric);
        let zeros = if is_unit && !number.is_empty() {
            zeros
        } else {
            0
        };
        Some(Part::Number(number.len() + zeros, number))
    }
}

#[cfg(test)]
mod tests {
    use super::natural;

    #[test]
    fn sorts_ids_in_natural_order() {
        let mut ids = [
            "s-10", "s-9", "a", "s-9-2", "s-9-10", "", "10", "9", "s-009x", "n-1m-1", "n-16k-1",
            "n-8k-1", "n-8k-2", "n-512-1",
        ];
        ids.sort_by(|a, b| natural(a, b));
        let wanted = [
            "", "9", "10", "a", "n-512-1", "n-8k-1", "n-8k-2", "n-16k-1", "n-1m-1", "s-9", "s-9-2",
            "s-9-10", "s-009x", "s-10",
        ];
        assert_eq!(ids, wanted);
    }
}
