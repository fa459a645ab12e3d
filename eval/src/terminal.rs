//! Text that came from elsewhere, made safe for a terminal.

use std::borrow::Cow;
use std::io::{self, Write as _};

use anstream::stderr;
use clap::builder::styling::{AnsiColor, Style};

use crate::invocation::as_called;

/// How `error:` looks where colours are on: as clap prints its own.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Prints a remark on stderr, as one line `note: …`.
pub fn note(text: &str) {
    stderr_line("note: ", Style::new(), text);
}

/// Prints a remark on what is most likely not meant on stderr, as one line `warning: …`.
pub fn warning(text: &str) {
    stderr_line("warning: ", WARNING, text);
}

/// Prints what goes on right now on stderr, as one line.
pub fn progress(text: &str) {
    stderr_line("", Style::new(), text);
}

/// Prints text of several lines on stderr.
pub fn lines(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", plain_text(&as_called(text)));
}

fn stderr_line(kind: &str, style: Style, text: &str) {
    // There is nowhere left to say that stderr cannot be written.
    let text = as_called(text);
    let _ = writeln!(stderr().lock(), "{style}{kind}{style:#}{}", one_line(&text));
}

/// Text of several lines without control characters; line breaks and tabs stay.
///
/// What a model or a file brings along may otherwise move the cursor, set the title, or hide what was
/// printed before.
pub fn plain_text(text: &str) -> Cow<'_, str> {
    let unsafe_in_lines = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(unsafe_in_lines) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| !unsafe_in_lines(*c)).collect())
}

/// Text as one line, in which control characters show as escapes: `\n`, `\u{1b}`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    Cow::Owned(line)
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
        ];
        for (text, plain, line) in cases {
            assert_eq!(plain_text(text), plain, "{text:?}");
            assert_eq!(one_line(text), line, "{text:?}");
        }
    }
}
