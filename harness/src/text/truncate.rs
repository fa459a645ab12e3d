//! Shortens long texts for models.

/// Replaces the middle of a text with more than `limit` characters with a note about the omitted
/// part. Returns shorter texts unchanged.
pub(crate) fn truncate_middle(text: &str, limit: usize) -> String {
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
