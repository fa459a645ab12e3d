//! `short-answer/1`: the answer is one of the expected texts, but for case, punctuation and articles.

use serde_json::Value;

use super::{Score, Scorer, excerpt, right, unfit, wrong};
use crate::Sample;

/// Equality of short texts, as questions of fact have them. If the answer has lines that begin with `Exact Answer:`, what
/// follows in the last of them is judged, or else the whole. The expected value is a text or a list of texts, of which one has to match.
///
/// Both sides are put in lower case; punctuation, the words `a`, `an` and `the`, and white space at the ends fall away, and runs of
/// white space become one space.
///
/// Source: `normalize_answer` of the `SQuAD` 1.1 evaluation script (<https://rajpurkar.github.io/SQuAD-explorer/>), and the answer's
/// form of `BrowseComp` (<https://arxiv.org/abs/2504.12516>). `BrowseComp` and BrowseComp-Plus publish figures by a model as
/// judge, which takes other wordings, too: this is a lower bound of them.
#[derive(Clone, Copy, Debug)]
pub struct ShortAnswer;

impl ShortAnswer {
    /// The scorer's name with its version.
    pub const NAME: &str = "short-answer/1";
}

impl Scorer for ShortAnswer {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn misfit(&self, expected: &Value) -> Option<&'static str> {
        let texts = texts(expected);
        if texts.is_empty() {
            Some("is neither a text nor a list of texts")
        } else if texts.iter().any(|text| normal(text).is_empty()) {
            Some("has a text without a word that counts")
        } else {
            None
        }
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let expected = texts(&sample.expected);
        let Some(first) = expected.first() else {
            return unfit(self.misfit(&sample.expected));
        };
        let exact = |line: &str| {
            let line = line.trim().trim_matches('*').to_owned();
            line.strip_prefix("Exact Answer:").map(str::to_owned)
        };
        let stated = answer.lines().rev().find_map(exact);
        let found = normal(stated.as_deref().unwrap_or(answer));
        if !found.is_empty() && expected.iter().any(|text| normal(text) == found) {
            return right("the answer is an expected text");
        }
        wrong(format!(
            "the answer is {}, expected is {}",
            excerpt(&found),
            excerpt(first)
        ))
    }
}

fn texts(expected: &Value) -> Vec<&str> {
    match expected {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn normal(text: &str) -> String {
    let is_kept = |letter: &char| !letter.is_ascii_punctuation() && !"“”‘’–—…".contains(*letter);
    let text: String = text.to_lowercase().chars().filter(is_kept).collect();
    let words = text
        .split_whitespace()
        .filter(|word| !matches!(*word, "a" | "an" | "the"));
    words.collect::<Vec<_>>().join(" ")
}
