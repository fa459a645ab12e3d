//! Shortens long texts for models.

/// Returns the text, or if it has more than `limit` characters, its beginning and end around a note
/// with its length.
pub(crate) fn two_ends(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let head: String = text.chars().take(limit / 2).collect();
    let tail: String = text.chars().skip(length - limit / 2).collect();
    format!(
        "{head}\n… [{} of {length} characters omitted here] …\n{tail}",
        length - limit / 2 * 2
    )
}
