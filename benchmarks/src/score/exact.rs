//! `exact/1`: the answer is the expected text, but for spaces and quotes around it.

use std::borrow::Cow;

use serde_json::Value;

use super::{Score, Scorer, excerpt, right, wrong};
use crate::Sample;

/// Equality of texts. From the answer and from the expected text alike
/// - white space at both ends is taken away,
/// - then one pair of quotes around the whole (`"…"`, `'…'`, `` `…` ``, `“…”`, `‘…’`), if there is none of them within,
/// - then every run of white space, as Unicode defines it, becomes one space, and none at the ends.
///
/// Upper and lower case differ. An expected value that is no string stands for its compact JSON.
#[derive(Clone, Copy, Debug)]
pub struct Exact;

const QUOTES: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’')];

impl Exact {
    /// The scorer's name with its version.
    pub const NAME: &str = "exact/1";
}

impl Scorer for Exact {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn misfit(&self, expected: &Value) -> Option<&'static str> {
        let is_empty = expected.is_null() || normal(&text(expected)).is_empty();
        is_empty.then_some("is empty, and an agent that says nothing would be right")
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let (answer, expected) = (normal(answer), normal(&text(&sample.expected)));
        if answer == expected {
            return right("the answer is the expected text");
        }
        wrong(format!(
            "the answer is {}, expected is {}",
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
    unquoted
        .unwrap_or(text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
