//! Truncates answers that are too long for records and events.

use std::borrow::Cow;

/// Maximum characters of an answer that records and events store completely. Equals the default
/// maximum output of a cell.
pub const INLINE_ANSWER_CHARS: usize = 50_000;

/// Number of characters to which a longer answer is truncated.
const SHOWN_CHARS: usize = 1_000;

/// Returns the number of characters of an answer that is too long to be stored completely, or
/// `None` for a shorter answer.
pub fn too_long(answer: &str) -> Option<usize> {
    // A text has no more characters than bytes.
    if answer.len() <= INLINE_ANSWER_CHARS {
        return None;
    }
    let chars = answer.chars().count();
    (chars > INLINE_ANSWER_CHARS).then_some(chars)
}

/// Returns a short answer unchanged. Truncates a long answer and appends a note with its length and
/// `whole_in`, the place of the complete answer.
pub fn shown<'a>(answer: &'a str, whole_in: &str) -> Cow<'a, str> {
    let Some(chars) = too_long(answer) else {
        return Cow::from(answer);
    };
    let beginning: String = answer.chars().take(SHOWN_CHARS).collect();
    Cow::from(format!(
        "{beginning}… [the first {SHOWN_CHARS} of {chars} characters; {whole_in} has all of them]"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_only_long_answers() {
        let fits = "ä".repeat(INLINE_ANSWER_CHARS);
        assert_eq!(shown(&fits, "a file"), fits);
        let long = format!("{fits}b");
        let cut = shown(&long, "a file");
        let beginning = "ä".repeat(1_000);
        let note = "… [the first 1000 of 50001 characters; a file has all of them]";
        assert_eq!(cut, format!("{beginning}{note}"));
    }
}
