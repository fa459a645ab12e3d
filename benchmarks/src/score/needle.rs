//! `needle/1`: the answer must be the hidden value, or contain it and no other number of its
//! length.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Score, Scorer, excerpt, invalid_expected, right, wrong};
use crate::Sample;

/// Searches the answer for the hidden value. It scores 1
/// - if the answer is the value, ignoring white space and quotes at both ends, or
/// - if the value consists of digits and is in the answer, but no other number of its length is. A
///   number is a maximal run of the digits 0 to 9; signs, points and thousands separators end it.
///
/// An answer that lists candidates or returns the haystack therefore scores 0.
#[derive(Clone, Copy, Debug)]
pub struct Needle;

impl Needle {
    /// Name of the scorer with its version.
    pub const NAME: &str = "needle/1";
}

impl Scorer for Needle {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn validate_expected(&self, expected: &Value) -> Option<&'static str> {
        match expected {
            Value::String(value) if value.trim().is_empty() => Some("is empty"),
            Value::String(_) => None,
            _ => Some("is not a text"),
        }
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let value = match (&sample.expected, self.validate_expected(&sample.expected)) {
            (Value::String(value), None) => value,
            (_, problem) => return invalid_expected(problem),
        };
        let trimmed = answer
            .trim_matches(|letter: char| letter.is_whitespace() || "\"'`“”‘’".contains(letter));
        if trimmed == value {
            return right("the answer is the value");
        }
        if !value.bytes().all(|byte| byte.is_ascii_digit()) {
            return wrong(format!(
                "the answer {} is not the value {}",
                excerpt(trimmed),
                excerpt(value)
            ));
        }
        let numbers = answer.split(|letter: char| !letter.is_ascii_digit());
        let candidates = numbers
            .filter(|number| number.len() == value.len())
            .collect::<BTreeSet<_>>();
        let digits = value.len();
        match (candidates.len(), candidates.contains(value.as_str())) {
            (1, true) => right(format!(
                "the expected value is the only {digits}-digit number in the answer"
            )),
            (0, _) => wrong(format!(
                "no {digits}-digit number in the answer {}",
                excerpt(trimmed)
            )),
            (1, false) => wrong(format!(
                "a different {digits}-digit number in the answer {}",
                excerpt(trimmed)
            )),
            (n, true) => wrong(format!(
                "{n} different {digits}-digit numbers in the answer, including the expected value"
            )),
            (n, false) => wrong(format!(
                "{n} different {digits}-digit numbers in the answer, but not the expected value"
            )),
        }
    }
}
