//! `regex/1`: the expected value is a pattern that the answer must match.

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::{Score, Scorer, excerpt, right, unfit, wrong};
use crate::Sample;

/// Maximum size of a compiled pattern in bytes.
const LARGEST: usize = 1 << 20;

/// Matches a pattern of the `regex` crate anywhere in the answer, without white space around it.
/// `^` and `$` anchor it to the beginning and the end.
#[derive(Clone, Copy, Debug)]
pub struct Pattern;

impl Pattern {
    /// Name of the scorer with its version.
    pub const NAME: &str = "regex/1";
}

impl Scorer for Pattern {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn misfit(&self, expected: &Value) -> Option<&'static str> {
        let Value::String(pattern) = expected else {
            return Some("is no text, expected a pattern");
        };
        match compiled(pattern) {
            None => Some("is no valid pattern, or one that takes more than 1 MB"),
            Some(pattern) if pattern.is_match("") => {
                Some("matches an empty text, and an agent that says nothing would be right")
            }
            Some(_) => None,
        }
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let (Some(pattern), None) = (sample.expected.as_str(), self.misfit(&sample.expected))
        else {
            return unfit(self.misfit(&sample.expected));
        };
        let found = compiled(pattern);
        let found = found
            .as_ref()
            .and_then(|pattern| pattern.find(answer.trim()));
        match found {
            Some(found) => right(format!("{} matches", excerpt(found.as_str()))),
            None => wrong(format!("nothing in the answer {} matches", excerpt(answer))),
        }
    }
}

fn compiled(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).size_limit(LARGEST).build().ok()
}
