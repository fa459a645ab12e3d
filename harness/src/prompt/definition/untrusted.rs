//! Untrusted text in a prompt: behind a boundary that the text cannot contain.

use crate::prompt::untrusted_text;
use crate::text::sha256_hex;

/// Characters of a boundary.
const BOUNDARY: usize = 16;

/// A text from outside, fenced so that it cannot pass for a section of the prompt around it.
///
/// The fence names a boundary that does not occur in the text, which therefore cannot end it; that the text is data and
/// gives no orders is said with it. The same text always gets the same fence, so that a prompt with it can be cached.
/// `label` says what the text is; only its letters, digits, spaces, `_`, `-` and `.` are kept.
pub fn fence_untrusted(label: &str, text: &str) -> String {
    let label: String = label
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.'))
        .collect();
    let mut seed = sha256_hex(text);
    while text.contains(&seed[..BOUNDARY]) {
        seed = sha256_hex(&seed);
    }
    untrusted_text(label.trim(), &seed[..BOUNDARY], text)
}
