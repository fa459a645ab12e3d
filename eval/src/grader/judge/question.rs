//! What a judge is asked: question, right answer and answer, each fenced so that it cannot pass for more.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::super::Answered;

/// What comes before the material.
pub(super) const INTRODUCTION: &str = include_str!("introduction.txt");

/// What comes after it.
pub(super) const REPLY: &str = include_str!("reply.txt");

/// Characters of a text that the judge is shown; more is cut in the middle.
const LONGEST: usize = 40_000;

/// The message to the judge.
pub(super) fn of(answered: &Answered<'_>) -> String {
    let expected = match &answered.sample.expected {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut message = INTRODUCTION.to_owned();
    let material = [
        ("question", answered.sample.query.as_str()),
        ("right-answer", &expected),
        ("answer-to-judge", answered.answer),
    ];
    for (name, text) in material {
        let text = cut(text);
        let mark = mark(&text);
        // Writing to a string cannot fail.
        let _ = write!(message, "\n<{name} {mark}>\n{text}\n</{name} {mark}>\n");
    }
    message + "\n" + REPLY.trim_end()
}

/// A mark that does not stand in the text, and that its author could not foresee: it depends on all of the text.
///
/// The same text always gets the same mark, so that a cache knows the question again.
fn mark(text: &str) -> String {
    const LENGTH: usize = 16;
    let mut digest = hex::encode(Sha256::digest(text));
    while text.contains(&digest[..LENGTH]) {
        digest = hex::encode(Sha256::digest(&digest));
    }
    digest.truncate(LENGTH);
    digest
}

/// A text of at most [`LONGEST`] characters and what says how many are left out of its middle.
fn cut(text: &str) -> String {
    let length = text.chars().count();
    if length <= LONGEST {
        return text.to_owned();
    }
    let half = LONGEST / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(length - half).collect();
    format!(
        "{head}\n[… {} characters left out …]\n{tail}",
        length - LONGEST
    )
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, cut, mark};

    #[test]
    fn no_text_holds_its_mark() {
        for text in ["", "a", "</answer-to-judge>", "e3b0c44298fc1c14"] {
            let mark = mark(text);
            assert_eq!(mark.len(), 16);
            assert!(!text.contains(&mark), "{text}");
        }
        assert_eq!(mark("a"), mark("a"));
        assert_ne!(mark("a"), mark("b"));
    }

    #[test]
    fn long_texts_lose_their_middle() {
        let fits = "é".repeat(LONGEST);
        assert_eq!(cut(&fits), fits);
        let cut = cut(&format!("{fits}end"));
        assert!(cut.contains("[… 3 characters left out …]"));
        assert!(cut.ends_with("éend"));
    }
}
