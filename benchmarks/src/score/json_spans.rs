//! Finds the JSON arrays and objects in arbitrary text in one pass.

use std::collections::VecDeque;
use std::ops::Range;

/// Maximum nesting depth: if more brackets are open, the outermost counts as text. The limit bounds
/// the memory of the search and the recursion of code that parses its results.
pub const MAX_DEPTH: usize = 16;

/// Returns the byte ranges of the outermost JSON arrays and objects in `text`, in order.
///
/// Brackets in prose are skipped: if the text after an opening bracket is not JSON, that bracket
/// and all enclosing ones count as text, but arrays and objects already completed inside are kept.
/// Strings inside an array or object are not searched. Numbers and escapes are checked only
/// roughly, so a range may still fail to parse.
///
/// Takes time linear in `text`. An unterminated string is read twice, as a string and as text, but
/// all quotes in it are escaped and cannot begin another string.
pub fn json_spans(text: &str) -> Vec<Range<usize>> {
    let mut search = Search {
        text: text.as_bytes(),
        open: VecDeque::new(),
        found: Vec::new(),
    };
    let mut at = 0;
    while at < text.len() {
        at = search.step(at);
    }
    search.found
}

struct Search<'a> {
    text: &'a [u8],
    open: VecDeque<Open>,
    found: Vec<Range<usize>>,
}

/// An array or object whose closing bracket has not been read yet.
struct Open {
    start: usize,
    is_object: bool,
    next: Next,
}

/// Token expected next in an array or object.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    /// The first element or member, or the end.
    First,
    /// Another element or member, after a comma.
    Item,
    /// The colon after a member's name.
    Colon,
    /// A member's value.
    Value,
    /// A comma or the end.
    Comma,
}

impl Search<'_> {
    /// Reads the token at `at` and returns the start of the next one.
    fn step(&mut self, at: usize) -> usize {
        let byte = self.text[at];
        match byte {
            b'[' | b'{' => {
                if self.takes_value() {
                    self.advance(Next::Comma);
                } else {
                    self.open.clear();
                }
                if self.open.len() == MAX_DEPTH {
                    self.open.pop_front();
                }
                self.open.push_back(Open {
                    start: at,
                    is_object: byte == b'{',
                    next: Next::First,
                });
                return at + 1;
            }
            // Outside of brackets, everything is text.
            _ if self.open.is_empty() => {}
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b']' | b'}' => match self.open.pop_back() {
                Some(Open {
                    start,
                    is_object,
                    next: Next::First | Next::Comma,
                }) if is_object == (byte == b'}') => {
                    while self.found.last().is_some_and(|inner| inner.start > start) {
                        self.found.pop();
                    }
                    self.found.push(start..at + 1);
                }
                _ => self.open.clear(),
            },
            b',' if self.next() == Some(Next::Comma) => self.advance(Next::Item),
            b':' if self.next() == Some(Next::Colon) => self.advance(Next::Value),
            b'"' if self.takes_name() || self.takes_value() => {
                if let Some(end) = self.string_end(at + 1) {
                    self.advance(if self.takes_name() {
                        Next::Colon
                    } else {
                        Next::Comma
                    });
                    return end;
                }
                self.open.clear();
            }
            _ if self.takes_value() => {
                let end = self.scalar_end(at);
                if end > at {
                    self.advance(Next::Comma);
                    return end;
                }
                self.open.clear();
            }
            _ => self.open.clear(),
        }
        at + 1
    }

    fn next(&self) -> Option<Next> {
        self.open.back().map(|open| open.next)
    }

    fn takes_value(&self) -> bool {
        self.open.back().is_some_and(|open| match open.next {
            Next::First | Next::Item => !open.is_object,
            Next::Value => true,
            Next::Colon | Next::Comma => false,
        })
    }

    fn takes_name(&self) -> bool {
        self.open
            .back()
            .is_some_and(|open| open.is_object && matches!(open.next, Next::First | Next::Item))
    }

    fn advance(&mut self, next: Next) {
        if let Some(open) = self.open.back_mut() {
            open.next = next;
        }
    }

    /// Returns the end of the string whose first character is at `at`, or `None` if it is
    /// unterminated.
    fn string_end(&self, mut at: usize) -> Option<usize> {
        loop {
            match *self.text.get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at += 2,
                0..0x20 => return None,
                _ => at += 1,
            }
        }
    }

    /// Returns the end of the number, `true`, `false` or `null` that begins at `at`, or `at` itself
    /// if there is none.
    fn scalar_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let number = rest
            .iter()
            .take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        let literals: [&[u8]; 3] = [b"true", b"false", b"null"];
        let literal = literals.iter().find(|literal| rest.starts_with(literal));
        at + literal.map_or_else(|| number.count(), |literal| literal.len())
    }
}
