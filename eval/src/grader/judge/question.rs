//! The message to a judge: question, right answer and given answer.
//!
//! The tags around each text contain a boundary that the text does not contain, so that an answer
//! cannot imitate the rest of the message.

use std::fmt::Write as _;

use harness::boundary;
use serde_json::Value;

use super::super::ScorableAnswer;

/// Text before the question and the answers.
pub(super) const INTRODUCTION: &str = include_str!("introduction.txt");

/// Text after the question and the answers.
pub(super) const REPLY: &str = include_str!("reply.txt");

/// Length of a boundary in characters.
const BOUNDARY_LENGTH: usize = 16;

/// Maximum characters of a text shown to the judge; longer texts are cut in the middle.
const LONGEST: usize = 40_000;

/// Builds the message to the judge.
pub(super) fn of(answered: &ScorableAnswer<'_>) -> String {
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
        let mark = boundary(&[&text], BOUNDARY_LENGTH);
        // Writing to a string cannot fail.
        let _ = write!(message, "\n<{name} {mark}>\n{text}\n</{name} {mark}>\n");
    }
    message + "\n" + REPLY.trim_end()
}

/// Removes the middle of a text longer than [`LONGEST`] characters and states the number of removed
/// characters.
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
    use super::{LONGEST, cut};

    #[test]
    fn cuts_long_texts_in_the_middle() {
        let fits = "é".repeat(LONGEST);
        assert_eq!(cut(&fits), fits);
        let cut = cut(&format!("{fits}end"));
        assert!(cut.contains("[… 3 characters left out …]"));
        assert!(cut.ends_with("éend"));
    }
}
