//! Prints messages on stderr and makes untrusted text safe for a terminal.

use std::borrow::Cow;
use std::io::{self, Write as _};

use anstream::stderr;
use clap::builder::styling::{AnsiColor, Style};

use super::invocation::as_called;

/// Style of `error:`, the same as clap's.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Prints a line `note: …` on stderr.
pub fn note(text: &str) {
    stderr_line("note: ", Style::new(), text);
}

/// Prints a line `warning: …` on stderr about a probable mistake.
pub fn warning(text: &str) {
    stderr_line("warning: ", WARNING, text);
}

/// Prints a progress line on stderr.
pub fn progress(text: &str) {
    stderr_line("", Style::new(), text);
}

/// Prints multi-line text on stderr.
pub fn lines(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", plain_text(&as_called(text)));
}

fn stderr_line(kind: &str, style: Style, text: &str) {
    let text = as_called(text);
    // A failure to write to stderr cannot be reported anywhere.
    let _ = writeln!(stderr().lock(), "{style}{kind}{style:#}{}", one_line(&text));
}

/// Returns a count with its noun: `1 agent`, `2 agents`.
pub fn counted(count: impl Into<u64>, word: &str) -> String {
    match count.into() {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    }
}

/// Removes control characters except line breaks and tabs.
///
/// Otherwise, text from a model or a file could move the cursor, set the window title, or hide
/// earlier output. Bidirectional formatting characters are escaped instead of removed: they may be
/// part of the answer, but would reorder the text around them.
pub fn plain_text(text: &str) -> Cow<'_, str> {
    let unsafe_in_lines = |c: char| c.is_control() && c != '\n' && c != '\t';
    escaped(text, unsafe_in_lines, |_| false)
}

/// Returns text as one line with control characters escaped: `\n`, `\u{1b}`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false, char::is_control)
}

/// Removes the characters for which `left_out` returns true. Escapes those for which `escapes`
/// does, and bidirectional formatting characters.
fn escaped(
    text: &str,
    left_out: impl Fn(char) -> bool,
    escapes: impl Fn(char) -> bool,
) -> Cow<'_, str> {
    let escapes = |character| is_bidi_control(character) || escapes(character);
    if !text.contains(|character| left_out(character) || escapes(character)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars().filter(|character| !left_out(*character)) {
        if escapes(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Whether a character has the Unicode property `Bidi_Control`.
fn is_bidi_control(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{one_line, plain_text};

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let cases = [
            ("", "", ""),
            ("plain ü 🦀", "plain ü 🦀", "plain ü 🦀"),
            ("a\n\tb\r\n", "a\n\tb\n", "a\\n\\tb\\r\\n"),
            (
                "\u{1b}[2J\u{7}x\u{9b}y\u{7f}",
                "[2Jxy",
                "\\u{1b}[2J\\u{7}x\\u{9b}y\\u{7f}",
            ),
            (
                "a\u{202e}b\u{2066}c\u{200f}",
                "a\\u{202e}b\\u{2066}c\\u{200f}",
                "a\\u{202e}b\\u{2066}c\\u{200f}",
            ),
        ];
        for (text, plain, line) in cases {
            assert_eq!(plain_text(text), plain, "{text:?}");
            assert_eq!(one_line(text), line, "{text:?}");
        }
    }
}
