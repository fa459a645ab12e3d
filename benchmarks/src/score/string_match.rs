//! `string-match-all/2` and `string-match-part/2`: whether the answer contains all or any of the
//! expected texts.

use std::borrow::Cow;

use serde_json::Value;

use super::{Score, Scorer, excerpt};
use crate::Sample;
use crate::unicode::nfc;

/// RULER's two metrics. The expected value is a text or a list of texts. A text counts as found if
/// the answer contains it anywhere, even within longer words, regardless of case and Unicode
/// composition.
///
/// Source: `string_match_all` and `string_match_part` of `scripts/eval/synthetic/constants.py` in
/// <https://github.com/NVIDIA/RULER>, taken from copies in other projects. Like the originals, they
/// score 1 for an answer that repeats the whole context. Their scores are comparable with published
/// ones, but not with those of `needle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringMatch {
    /// Scores the share of the expected texts that are found.
    All,
    /// Scores 1 if any expected text is found.
    Part,
}

impl StringMatch {
    /// Name of [`StringMatch::All`] with its version.
    pub const ALL: &str = "string-match-all/2";
    /// Name of [`StringMatch::Part`] with its version.
    pub const PART: &str = "string-match-part/2";
}

impl Scorer for StringMatch {
    fn name(&self) -> &str {
        match self {
            Self::All => Self::ALL,
            Self::Part => Self::PART,
        }
    }

    fn validate_expected(&self, expected: &Value) -> Option<&'static str> {
        let is_part = |value: &Value| !value.is_array() && !value.is_object() && !value.is_null();
        let are_texts = match expected {
            Value::Array(items) => items.iter().all(is_part),
            other => is_part(other),
        };
        let texts = texts(expected);
        if !are_texts {
            Some("is neither a text nor a list of texts")
        } else if texts.is_empty() {
            Some("is an empty list")
        } else if texts.iter().any(|text| text.trim().is_empty()) {
            Some("contains an empty text, which every answer contains")
        } else {
            None
        }
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let expected = texts(&sample.expected);
        let comparable = |text: &str| nfc(&text.to_lowercase());
        let answer = comparable(answer);
        let missing: Vec<_> = expected
            .iter()
            .filter(|text| !answer.contains(&comparable(text)))
            .collect();
        let found = expected.len() - missing.len();
        let value = match self {
            Self::All if expected.is_empty() => 0.0,
            Self::All => found as f64 / expected.len() as f64,
            Self::Part => f64::from(u8::from(found > 0)),
        };
        let which = match missing.first() {
            Some(first) => format!(", {} is missing", excerpt(first)),
            None => String::new(),
        };
        let all = expected.len();
        Score::new(
            value,
            format!("{found} of {all} expected texts are in the answer{which}"),
        )
    }
}

fn texts(expected: &Value) -> Vec<Cow<'_, str>> {
    match expected {
        Value::Array(items) => items.iter().map(text).collect(),
        other => vec![text(other)],
    }
}

fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}
