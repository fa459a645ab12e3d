//! Scorers: pure functions that rate an answer against its sample.

mod exact;

mod needle;

mod choice;
mod numeric;
mod short_answer;
mod string_match;

mod pair_f1;

mod regex;

mod checks;

mod outside;

mod dates;
mod json_spans;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::Sample;

pub use checks::Checks;
pub use choice::Choice;
pub(crate) use dates::{Date, read_date};
pub use exact::Exact;
pub(crate) use json_spans::json_spans;
pub use needle::Needle;
pub use numeric::Numeric;
pub use outside::OutsideScorer;
pub use pair_f1::PairF1;
pub use regex::Pattern;
pub use short_answer::ShortAnswer;
pub use string_match::StringMatch;

/// Rating of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// 0 for a wrong answer to 1 for a right one.
    pub value: f64,
    /// Reason for the value, for people.
    pub explanation: String,
    /// Whether the scorer could not parse the answer, for example because it contains no number
    /// where one is expected. The answer then scores 0 and is counted separately from wrong
    /// answers.
    pub is_unreadable: bool,
}

impl Score {
    /// Creates the score of an answer that the scorer could parse.
    pub fn new(value: f64, explanation: impl Into<String>) -> Self {
        Self {
            value,
            explanation: explanation.into(),
            is_unreadable: false,
        }
    }
}

/// Scores an answer against its sample: a pure function of both, in time linear in the answer.
pub trait Scorer: Send + Sync {
    /// Returns the name with its version, such as `arc-grid/1`. The version is raised whenever an
    /// answer may score differently.
    fn name(&self) -> &str;

    /// Returns the reason why answers cannot be scored against an expected value, phrased to follow
    /// the value's name: `is not a number`. Returns `None` if they can.
    fn validate_expected(&self, _expected: &Value) -> Option<&'static str> {
        None
    }

    /// Scores an answer. Never fails or panics for any answer; a bad answer scores 0 with an
    /// explanation.
    fn score(&self, answer: &str, sample: &Sample) -> Score;
}

/// Entry in the list of scorers.
#[derive(Clone, Copy, Debug)]
pub struct NamedScorer {
    /// Name without the version.
    pub name: &'static str,
    /// Summary of the answers that it accepts.
    pub summary: &'static str,
    pub(crate) make: fn() -> Arc<dyn Scorer>,
}

/// Returns the score of an answer that cannot be scored, because the expected value is invalid.
/// Callers of a scorer should check [`Scorer::validate_expected`] first.
pub(crate) fn invalid_expected(problem: Option<&str>) -> Score {
    wrong(format!(
        "the sample's expected value {}",
        problem.unwrap_or_default()
    ))
}

pub(crate) fn right(explanation: impl Into<String>) -> Score {
    Score::new(1.0, explanation)
}

pub(crate) fn wrong(explanation: impl Into<String>) -> Score {
    Score::new(0.0, explanation)
}

/// Returns the score of an answer that the scorer cannot parse.
pub(crate) fn unreadable(explanation: impl Into<String>) -> Score {
    Score {
        is_unreadable: true,
        ..wrong(explanation)
    }
}

/// Returns the texts of an expected value: a text, a number, true or false, or a list of these.
/// Returns `None` for any other value. A text that is a JSON list with at least one text counts as
/// that list, because CSV has no lists, and rows keep a list with a long number as text. Other JSON
/// lists, such as `[0, 1]`, may themselves be the answer.
fn expected_texts(expected: &Value) -> Option<Vec<Cow<'_, str>>> {
    match expected {
        Value::String(whole) => match serde_json::from_str::<Vec<&RawValue>>(whole) {
            Ok(items) if items.iter().any(|item| item.get().starts_with('"')) => {
                items.into_iter().map(text_of_json).collect()
            }
            _ => Some(vec![Cow::Borrowed(whole.as_str())]),
        },
        Value::Array(items) => items.iter().map(text_of).collect(),
        other => Some(vec![text_of(other)?]),
    }
}

fn text_of(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text.as_str())),
        Value::Number(_) | Value::Bool(_) => Some(Cow::Owned(value.to_string())),
        _ => None,
    }
}

/// Like [`text_of`], but keeps all digits of a number.
fn text_of_json(value: &RawValue) -> Option<Cow<'_, str>> {
    let json = value.get();
    match json.as_bytes().first()? {
        b'"' => serde_json::from_str::<String>(json).ok().map(Cow::Owned),
        b'[' | b'{' | b'n' => None,
        _ => Some(Cow::Borrowed(json)),
    }
}

/// Returns the beginning of a text, quoted for an explanation.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
