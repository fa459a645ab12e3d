//! `string-match-all/3` and `string-match-part/3`: whether the answer contains all or any of the
//! expected texts.

use serde_json::Value;

use super::{Score, Scorer, excerpt, expected_texts};
use crate::Sample;
use crate::unicode::nfc;

/// RULER's two metrics. The expected value is a text or a list of texts; a number counts as a text.
/// A text counts as found if the answer contains it anywhere, even within longer words, regardless
/// of case and Unicode composition.
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
    pub const ALL: &str = "string-match-all/3";
    /// Name of [`StringMatch::Part`] with its version.
    pub const PART: &str = "string-match-part/3";
}

impl Scorer for StringMatch {
    fn name(&self) -> &str {
        match self {
            Self::All => Self::ALL,
            Self::Part => Self::PART,
        }
    }

    fn validate_expected(&self, expected: &Value) -> Option<&'static str> {
        let Some(texts) = expected_texts(expected) else {
            return Some("is neither a text nor a list of texts");
        };
        if texts.is_empty() {
            Some("is an empty list")
        } else if texts.iter().any(|text| text.trim().is_empty()) {
            Some("contains an empty text, which every answer contains")
        } else {
            None
        }
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let expected = expected_texts(&sample.expected).unwrap_or_default();
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
