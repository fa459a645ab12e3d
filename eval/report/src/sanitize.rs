//! Makes text from samples and models safe to show: on one line of a terminal, or on a page.

/// Returns a single line of at most `width` columns that cannot move the cursor, set colors or
/// change the text direction.
///
/// Each sequence of white space becomes one space. Control characters, including those that begin
/// an escape sequence or change the text direction, become `�`. Other invisible formatting
/// characters, which can disguise a text, are dropped. Truncated text ends in `…`.
pub fn sanitize(text: &str, width: usize) -> String {
    let mut line = String::new();
    let mut used = 0;
    // Truncation position if the text is too long: the last one that leaves a column for `…`.
    let mut cut = 0;
    let mut space = false;
    for character in text.chars() {
        if character.is_whitespace() {
            space = !line.is_empty();
            continue;
        }
        if is_format(character) && !is_bidi_control(character) {
            continue;
        }
        let shown = if character.is_control() || is_bidi_control(character) {
            '\u{fffd}'
        } else {
            character
        };
        for shown in space.then_some(' ').into_iter().chain([shown]) {
            used += columns(shown);
            if used > width {
                line.truncate(cut);
                if width > 0 {
                    line.push('…');
                }
                return line;
            }
            line.push(shown);
            if used < width {
                cut = line.len();
            }
        }
        space = false;
    }
    line
}

/// Replaces each character that changes the text direction by its code, such as `U+202E`.
pub(crate) fn show_bidi_controls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_bidi_control(character) {
            shown.push_str(&format!("U+{:04X}", u32::from(character)));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Returns the maximum width of a character in columns. The first wide character of Unicode is
/// U+1100 (UAX #11). Narrow characters after it count as wide, so a line may be truncated early but
/// never late.
fn columns(character: char) -> usize {
    match character {
        ..'\u{1100}' | '\u{fffd}' => 1,
        _ => 2,
    }
}

/// Whether a character has the Unicode property `Bidi_Control`.
fn is_bidi_control(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character is in the Unicode category Cf: invisible, but able to change how other
/// characters look.
fn is_format(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::{sanitize, show_bidi_controls};

    #[test]
    fn flattens_hostile_texts_to_one_line() {
        let rows = [
            ("", 10, ""),
            ("s-niah-8k-1", 40, "s-niah-8k-1"),
            ("two\nlines\r\n and\ttabs ", 40, "two lines and tabs"),
            ("\n\n", 10, ""),
            ("\u{2028}a\u{2029}b\u{85}c", 10, "a b c"),
            ("\u{1b}[31mred\u{1b}[0m", 40, "�[31mred�[0m"),
            ("\u{1b}]0;title\u{7}", 40, "�]0;title�"),
            ("\u{9b}2J\u{7f}\0\u{8}", 40, "�2J���"),
            ("safe\u{202e}gpj.exe\u{2066}", 40, "safe�gpj.exe�"),
            ("a\u{200b}\u{feff}b\u{ad}c\u{e0041}", 40, "abc"),
            ("exactly ten", 11, "exactly ten"),
            ("exactly ten", 10, "exactly t…"),
            ("words and more", 6, "words…"),
            ("éèêëé", 5, "éèêëé"),
            ("éèêëéé", 5, "éèêë…"),
            ("数独数独", 8, "数独数独"),
            ("数独数独", 7, "数独数…"),
            ("数独数独", 6, "数独…"),
            ("ab", 1, "…"),
            ("ab", 0, ""),
            ("a", 1, "a"),
        ];
        for (text, width, line) in rows {
            assert_eq!(sanitize(text, width), line, "{text:?} in {width}");
        }
    }

    #[test]
    fn shows_codes_of_bidi_controls() {
        let text = "a\u{202e}b\u{2069}\u{61c} مرحبا\n";
        assert_eq!(show_bidi_controls(text), "aU+202EbU+2069U+061C مرحبا\n");
    }

    #[test]
    fn truncates_huge_texts_quickly() {
        let text = "x".repeat(10_000_000);
        assert_eq!(sanitize(&text, 5), "xxxx…");
    }
}
