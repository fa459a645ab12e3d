//! `exact/2`: the answer must equal the expected text or JSON value.

use std::borrow::Cow;

use serde_json::Value;

use super::{Score, Scorer, excerpt, right, unreadable, wrong};
use crate::Sample;
use crate::decimal::same_json_text;
use crate::unicode::nfc;

/// Equality of texts, or of JSON values.
///
/// If the expected value is a text, both sides are normalized in the same way:
/// - White space at both ends is removed.
/// - One pair of quotes around the whole text (`"…"`, `'…'`, `` `…` ``, `“…”`, `‘…’`) is removed,
///   unless the text contains more of these quotes.
/// - Every run of Unicode white space becomes one space, except at the ends, where it is removed.
/// - The result is composed (Unicode NFC).
///
/// Comparison is case-sensitive. Any other expected value is compared as JSON: key order, white
/// space and the notation of numbers (`3`, `3.0`) do not matter, and numbers of any length are
/// compared exactly. If a list or an object is expected, an answer that is not JSON is unreadable.
/// If the expected text is itself a JSON list or object, as in CSV, either comparison suffices.
#[derive(Clone, Copy, Debug)]
pub struct Exact;

const QUOTES: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’')];

impl Exact {
    /// Name of the scorer with its version.
    pub const NAME: &str = "exact/2";
}

impl Scorer for Exact {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn validate_expected(&self, expected: &Value) -> Option<&'static str> {
        let is_empty = expected.is_null() || normal(&text(expected)).is_empty();
        is_empty.then_some("is empty, so an empty answer would be right")
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let expected = text(&sample.expected);
        let is_container = expected.starts_with(['[', '{']);
        if is_container || !sample.expected.is_string() {
            match same_json_text(answer, &expected) {
                Some(true) => return right("the answer is the expected value"),
                None if !sample.expected.is_string() && is_container => {
                    return unreadable(format!(
                        "the answer {} is not JSON",
                        excerpt(answer.trim())
                    ));
                }
                _ => {}
            }
        }
        let (answer, expected) = (normal(answer), normal(&expected));
        if answer == expected {
            return right("the answer is the expected text");
        }
        wrong(format!(
            "the answer is {}, expected {}",
            excerpt(&answer),
            excerpt(&expected)
        ))
    }
}

fn text(expected: &Value) -> Cow<'_, str> {
    match expected {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        other => Cow::Owned(other.to_string()),
    }
}

fn normal(text: &str) -> String {
    let text = text.trim();
    let unquoted = QUOTES.iter().find_map(|&(open, close)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        (!inner.contains([open, close])).then_some(inner)
    });
    let words: Vec<_> = unquoted.unwrap_or(text).split_whitespace().collect();
    nfc(&words.join(" "))
}
