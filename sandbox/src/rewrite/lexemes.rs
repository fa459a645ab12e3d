//! Finds the ends of comments, strings, templates, regular expressions, words and operators in
//! JavaScript text.
//!
//! Each function receives the text and the offset at which the lexeme begins. Unless its
//! documentation differs, it returns the offset after the lexeme.

use oxc_syntax::identifier::{is_irregular_whitespace, is_white_space};
use oxc_syntax::line_terminator::is_line_terminator;

/// Comment at a position, if any.
pub(super) enum Comment {
    /// No comment begins here.
    Absent,
    /// A comment that ends at this offset.
    Until(usize),
    /// A comment without an end.
    Open,
}

/// Returns the comment that begins at `at`. `-->` begins a comment only after a line break, which
/// `newline` reports.
pub(super) fn comment(text: &str, at: usize, newline: bool) -> Comment {
    let rest = &text[at..];
    if let Some(inside) = rest.strip_prefix("/*") {
        return inside
            .find("*/")
            .map_or(Comment::Open, |end| Comment::Until(at + end + 4));
    }
    let line =
        rest.starts_with("//") || rest.starts_with("<!--") || (newline && rest.starts_with("-->"));
    if line {
        Comment::Until(
            rest.find(is_line_terminator)
                .map_or(text.len(), |end| at + end),
        )
    } else {
        Comment::Absent
    }
}

/// Returns the end of a quoted string; `None` if the line ends first.
pub(super) fn string_end(text: &str, at: usize) -> Option<usize> {
    let mut chars = text[at..].char_indices().peekable();
    let (_, quote) = chars.next()?;
    while let Some((offset, c)) = chars.next() {
        match c {
            // An escaped line break may consist of two characters.
            '\\' if chars.next()?.1 == '\r' => {
                chars.next_if(|(_, c)| *c == '\n');
            }
            '\\' => {}
            '\n' | '\r' => return None,
            c if c == quote => return Some(at + offset + 1),
            _ => {}
        }
    }
    None
}

/// Returns the offset of the closing backquote of a template, or of the next `${` before it, and
/// whether it is a `${`. `None` if the template is not closed.
pub(super) fn template_part(text: &str, at: usize) -> Option<(usize, bool)> {
    let mut chars = text[at..].char_indices();
    while let Some((offset, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '`' => return Some((at + offset, false)),
            '$' if text[at + offset..].starts_with("${") => return Some((at + offset, true)),
            _ => {}
        }
    }
    None
}

/// Returns the end of a regular expression with its flags; `None` if the line ends first.
pub(super) fn regexp_end(text: &str, at: usize) -> Option<usize> {
    let chars = text[at + 1..].char_indices();
    let (mut class, mut escaped) = (false, false);
    for (offset, c) in chars {
        match c {
            c if is_line_terminator(c) => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => {
                let flags = at + 1 + offset + 1;
                return Some(word_end(text, flags).unwrap_or(flags));
            }
            _ => {}
        }
    }
    None
}

/// Returns the end of a name or keyword, or of other non-ASCII characters; `None` if none begins
/// here.
pub(super) fn word_end(text: &str, at: usize) -> Option<usize> {
    let mut end = at;
    while let Some(c) = text[end..].chars().next() {
        if let Some(digits) = text[end..].strip_prefix("\\u{") {
            let other = digits
                .find(|c: char| !c.is_ascii_hexdigit())
                .unwrap_or(digits.len());
            end += 3 + other + usize::from(digits[other..].starts_with('}'));
        } else if c == '\\' || is_word(c) {
            end += c.len_utf8();
        } else {
            break;
        }
    }
    (end > at).then_some(end)
}

/// Returns the end of a number, which may contain one decimal point.
pub(super) fn number_end(text: &str, at: usize) -> usize {
    let digits = word_end(text, at).unwrap_or(at);
    if text[digits..].starts_with('.') {
        return word_end(text, digits + 1).unwrap_or(digits + 1);
    }
    digits
}

/// Returns the end of the longest operator that matches, or of one character.
pub(super) fn operator_end(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let longest = OPERATORS
        .iter()
        .find(|operator| rest.starts_with(**operator));
    at + longest.map_or_else(
        || rest.chars().next().map_or(1, char::len_utf8),
        |operator| operator.len(),
    )
}

/// Longer operators come first.
const OPERATORS: &[&str] = &[
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=",
    "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "<<", ">>", "**",
];

fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_' || c == '$';
    }
    !is_line_terminator(c) && !is_white_space(c) && !is_irregular_whitespace(c)
}
