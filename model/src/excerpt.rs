//! Beginnings of long texts.

/// Returns the first `max_chars` characters of a text, and an ellipsis if there are more.
pub fn excerpt(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn counts_characters() {
        for (text, expected) in [("", ""), ("äöü", "äöü"), ("äöüß", "äöü…")] {
            assert_eq!(excerpt(text, 3), expected);
        }
    }
}
