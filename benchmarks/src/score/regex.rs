//! `regex/1`: the expected value is a pattern that the answer must match.

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::{Score, Scorer, excerpt, invalid_expected, right, wrong};
use crate::Sample;

const MAX_COMPILED_BYTES: usize = 1 << 20;

/// Matches a pattern of the `regex` crate anywhere in the trimmed answer. `^` and `$` anchor the
/// pattern to the beginning and end of the answer.
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

    fn validate_expected(&self, expected: &Value) -> Option<&'static str> {
        compile_pattern(expected).err()
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let pattern = match compile_pattern(&sample.expected) {
            Ok(pattern) => pattern,
            Err(problem) => return invalid_expected(Some(problem)),
        };
        match pattern.find(answer.trim()) {
            Some(found) => right(format!("{} matches", excerpt(found.as_str()))),
            None => wrong(format!("nothing in the answer {} matches", excerpt(answer))),
        }
    }
}

/// Compiles an expected value, or returns the reason why it cannot score answers.
fn compile_pattern(expected: &Value) -> Result<Regex, &'static str> {
    let Value::String(pattern) = expected else {
        return Err("is not a text: expected a pattern");
    };
    let compiled = RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED_BYTES)
        .build();
    let pattern = compiled.map_err(|_| "is not a valid pattern of at most 1 MB when compiled")?;
    if pattern.is_match("") {
        return Err("matches an empty text, so an empty answer would be right");
    }
    Ok(pattern)
}
