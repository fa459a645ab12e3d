//! `pair-f1/1`: F1 score of the pairs in the answer against the expected ones.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Score, Scorer, invalid_expected};
use crate::Sample;

/// The F1 of two sets of unordered pairs of whole numbers: 2·hits / (pairs in the answer + pairs
/// expected), or 1 if both are empty. The expected value is a list of lists of two numbers.
///
/// A pair in the answer is two whole numbers separated by a comma, in `( )` or `[ ]`, each possibly
/// in quotes: `(22740, 35839)`, `["22740", "35839"]`. Everything else in the answer is ignored.
///
/// Source: OOLONG-Pairs of <https://arxiv.org/abs/2512.24601>, which scores by F1 over pairs in the
/// form `(user_id_1, user_id_2)`. The original code is not available, so it may parse pairs or
/// score two empty sets differently.
#[derive(Clone, Copy, Debug)]
pub struct PairF1;

type Pair = (u64, u64);

impl PairF1 {
    /// Name of the scorer with its version.
    pub const NAME: &str = "pair-f1/1";
}

impl Scorer for PairF1 {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn validate_expected(&self, value: &Value) -> Option<&'static str> {
        expected(value)
            .is_none()
            .then_some("is not a list of pairs of whole numbers")
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let Some(expected) = expected(&sample.expected) else {
            return invalid_expected(self.validate_expected(&sample.expected));
        };
        let found = pairs(answer);
        let hits = found.intersection(&expected).count();
        let all = found.len() + expected.len();
        let value = if all == 0 {
            1.0
        } else {
            2.0 * hits as f64 / all as f64
        };
        let explanation = format!(
            "{hits} of {} expected pairs are among the {} of the answer",
            expected.len(),
            found.len()
        );
        Score::new(value, explanation)
    }
}

fn expected(value: &Value) -> Option<BTreeSet<Pair>> {
    let pair = |value: &Value| match value.as_array()?.as_slice() {
        [a, b] => Some(ordered(a.as_u64()?, b.as_u64()?)),
        _ => None,
    };
    value.as_array()?.iter().map(pair).collect()
}

/// Returns the pairs in a text, in one pass, because every bracket begins a new pair.
fn pairs(text: &str) -> BTreeSet<Pair> {
    let mut pairs = BTreeSet::new();
    let mut rest = text.as_bytes();
    while let Some(open) = rest.iter().position(|byte| matches!(byte, b'(' | b'[')) {
        let close = if rest[open] == b'(' { b')' } else { b']' };
        rest = &rest[open + 1..];
        let Some((first, after)) = number(rest) else {
            continue;
        };
        let Some((second, after)) = after.strip_prefix(b",").and_then(number) else {
            continue;
        };
        if after.first() == Some(&close) {
            pairs.insert(ordered(first, second));
            rest = after;
        }
    }
    pairs
}

/// Parses a whole number, optionally surrounded by spaces and quotes, and returns it with the
/// remaining text. Long runs of spaces and digits are rejected to keep the search linear.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    const LONGEST: usize = 32;
    let around = |text: &[u8]| {
        let is_around = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'');
        text.iter().take(LONGEST).take_while(is_around).count()
    };
    let text = &text[around(text)..];
    let digits = text
        .iter()
        .take(LONGEST)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let number = match digits {
        0 => return None,
        _ => text[..digits].iter().fold(0_u64, |number, byte| {
            number
                .saturating_mul(10)
                .saturating_add(u64::from(byte - b'0'))
        }),
    };
    let text = &text[digits..];
    Some((number, &text[around(text)..]))
}

fn ordered(a: u64, b: u64) -> Pair {
    (a.min(b), a.max(b))
}
