//! Encloses untrusted text in a prompt between boundaries that the text cannot contain.

use crate::prompt::sections::UNTRUSTED;
use crate::text::boundary;

/// Length of a boundary in characters.
const BOUNDARY: usize = 16;

/// Encloses untrusted text in a fence, so that it cannot imitate a section of the surrounding
/// prompt.
///
/// The fence has a boundary that does not occur in the text, so the text cannot end it. The fence
/// also states that the text is data and contains no instructions. The same text always gets the
/// same fence, so that prompts can be cached. `label` describes the text; only its letters, digits,
/// spaces, `_`, `-`, `.` and `/` are kept.
pub fn fence_untrusted(label: &str, text: &str) -> String {
    let label: String = label
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/'))
        .collect();
    UNTRUSTED.render([&boundary(&[text], BOUNDARY), label.trim(), text])
}
