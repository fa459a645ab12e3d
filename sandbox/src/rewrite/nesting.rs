//! Rejects code that is nested too deeply for the native stack, before it is parsed.
//!
//! Parsers and visitors recurse along the syntax tree, and a native stack overflow ends the
//! process. Counting tokens gives an upper bound on the tree's depth without parsing: the open
//! brackets and, in each of them, the tokens since the last point where no expression was open.
//! Such points are a `;`, a comma inside brackets, and a line break that ends a statement. An
//! operator, an `else if` branch and a member of a chain each count as one token.
//!
//! Only a parser can know whether a `/` after a `}` divides or begins a regular expression. Both
//! readings are checked, so that a quote in one cannot hide brackets in the other.
//!
//! In debug and release builds, each bracket uses at most 1.6 kB of stack and each other token 0.7
//! kB (measured with version 0.146 of the parser): 8 MB at the limits, of the 64 MB available.

use oxc_syntax::identifier::{is_irregular_whitespace, is_white_space};
use oxc_syntax::line_terminator::is_line_terminator;

use super::lexemes::{
    Comment, comment, number_end, operator_end, regexp_end, string_end, template_part, word_end,
};

/// Maximum bracket depth, including the wrapper's.
pub(super) const MAX_BRACKETS: usize = 500;
/// Maximum number of nested tokens at one place, summed over all open brackets.
pub(super) const MAX_TOKENS: usize = 10_000;
/// Maximum sum of the bytes between each name and the start of its line, which the engine scans for
/// each name.
pub(super) const MAX_LINE_WALK: usize = 1_000_000_000;
/// Maximum number of readings that are checked.
const MAX_READINGS: usize = 32;

/// Reason why code is rejected.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NestingError {
    /// Byte offset at which a limit was exceeded.
    pub at: usize,
    /// Description of the exceeded limit and how to stay within it.
    pub message: String,
}

/// Checks the nesting of code. Invalid JavaScript passes, because the parser reports it better.
pub(super) fn check(text: &str) -> Result<(), NestingError> {
    let mut readings = vec![Reading::new(text)];
    let mut taken = 1;
    while let Some(mut reading) = readings.pop() {
        while let Some(other) = reading.follow()? {
            taken += 1;
            if taken > MAX_READINGS {
                return Err(reading.refusal(
                    "cannot tell divisions from regular expressions; put `;` or brackets in front of them".to_owned(),
                ));
            }
            readings.push(other);
        }
    }
    Ok(())
}

/// Meaning of a `/` after the previous token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The `/` divides.
    Operand,
    /// The `/` begins a regular expression.
    Operator,
    /// The `/` may be either.
    Unsure,
}

/// Kind of the last token, as far as it affects the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// `.`, `?.` or `#` before a property's name.
    Dot,
    /// A `}` that ended a block, a body or an object.
    Brace,
    Semicolon,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Program,
    Paren,
    Bracket,
    Brace,
    /// `${` in a template.
    Substitution,
}

/// An open bracket.
#[derive(Debug, Clone)]
struct Level {
    kind: Kind,
    /// Meaning of a `/` after the closing bracket.
    closes_as: Before,
    /// Number of tokens that may contain the next one.
    tokens: usize,
    /// Number of those tokens that nest statements. Commas do not end them.
    statements: usize,
}

/// A possible reading of the text up to `at`.
#[derive(Debug, Clone)]
struct Reading<'t> {
    text: &'t str,
    at: usize,
    /// The innermost open bracket.
    level: Level,
    /// The open brackets around `level`, outermost first.
    outer: Vec<Level>,
    /// Sum of `tokens` over all levels.
    tokens: usize,
    before: Before,
    /// The last token, if it was a word other than a property's name.
    word: &'t str,
    /// The word before that word.
    earlier_word: &'t str,
    last: Last,
    /// Whether a line break follows the last token.
    newline: bool,
    line_start: usize,
    line_walk: usize,
}

impl<'t> Reading<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            level: Level::new(Kind::Program, Before::Operand),
            outer: Vec::new(),
            tokens: 0,
            before: Before::Operator,
            word: "",
            earlier_word: "",
            last: Last::Other,
            newline: true,
            line_start: 0,
            line_walk: 0,
        }
    }

    /// Reads up to the end, the first invalid JavaScript, or a place with two readings. In the last
    /// case, returns the other reading.
    fn follow(&mut self) -> Result<Option<Self>, NestingError> {
        while let Some(c) = self.text[self.at..].chars().next() {
            if is_line_terminator(c) || is_white_space(c) || is_irregular_whitespace(c) {
                self.skip_to(self.at + c.len_utf8());
                continue;
            }
            match comment(self.text, self.at, self.newline) {
                Comment::Absent => {}
                Comment::Open => return Ok(None),
                Comment::Until(end) => {
                    self.skip_to(end);
                    continue;
                }
            }
            let end = match c {
                '/' if self.before == Before::Unsure => {
                    let mut other = self.clone();
                    (self.before, other.before) = (Before::Operand, Before::Operator);
                    return Ok(Some(other));
                }
                '/' if self.before == Before::Operator => regexp_end(self.text, self.at)
                    .map(|end| self.token(end, Before::Operand))
                    .transpose()?,
                '"' | '\'' => string_end(self.text, self.at)
                    .map(|end| self.token(end, Before::Operand))
                    .transpose()?,
                '`' => {
                    self.token(self.at + 1, Before::Operand)?;
                    self.template()?
                }
                '(' => Some(self.open(Kind::Paren)?),
                '[' => Some(self.open(Kind::Bracket)?),
                '{' => Some(self.open(Kind::Brace)?),
                ')' => self.close(Kind::Paren),
                ']' => self.close(Kind::Bracket),
                '}' if self.level.kind == Kind::Substitution => {
                    self.close(Kind::Substitution);
                    self.template()?
                }
                '}' => self.close(Kind::Brace),
                ';' => {
                    self.punctuation();
                    self.last = Last::Semicolon;
                    Some(())
                }
                ',' => {
                    self.comma();
                    Some(())
                }
                '0'..='9' => Some(self.token(number_end(self.text, self.at), Before::Operand)?),
                _ => match word_end(self.text, self.at) {
                    Some(end) => Some(self.read_word(end)?),
                    None => Some(self.operator()?),
                },
            };
            if end.is_none() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Skips text between tokens or inside a token.
    fn skip_to(&mut self, end: usize) {
        let skipped = &self.text[self.at..end];
        if let Some(last) = skipped.rfind(['\n', '\r']) {
            self.line_start = self.at + last + 1;
        }
        self.newline |= skipped.contains(is_line_terminator);
        self.at = end;
    }

    /// Reads a token that may contain the following ones.
    fn token(&mut self, end: usize, before: Before) -> Result<(), NestingError> {
        if self.last == Last::Semicolon {
            self.statement_ends();
        }
        self.skip_to(end);
        self.level.tokens += 1;
        self.tokens += 1;
        if self.tokens > MAX_TOKENS {
            return Err(self.refusal(format!(
                "the code is nested too deeply: {MAX_TOKENS} operators and names in one statement are the limit; split it up"
            )));
        }
        self.before = before;
        (self.word, self.earlier_word) = ("", "");
        (self.last, self.newline) = (Last::Other, false);
        Ok(())
    }

    /// Reads a token that does not contain others.
    fn punctuation(&mut self) {
        self.skip_to(self.at + 1);
        self.before = Before::Operator;
        (self.word, self.earlier_word) = ("", "");
        (self.last, self.newline) = (Last::Other, false);
    }

    fn read_word(&mut self, end: usize) -> Result<(), NestingError> {
        let text = self.text;
        let word = &text[self.at..end];
        let escaped = word.contains('\\');
        let keyword = if self.last == Last::Dot { "" } else { word };
        if self.last != Last::Dot {
            self.line_walk += self.at - self.line_start;
            if self.line_walk > MAX_LINE_WALK {
                return Err(self.refusal(
                    "the line is too long for so many names; break it into several".to_owned(),
                ));
            }
        }
        if !escaped && !CONTINUE_A_STATEMENT.contains(&keyword) && self.ended_before_word() {
            self.statement_ends();
        }
        // `do … ; while` and `if … ; else` continue a statement after its `;`.
        if self.last == Last::Semicolon && (escaped || matches!(keyword, "else" | "while")) {
            self.last = Last::Other;
        }
        let earlier = self.word;
        self.token(
            end,
            if escaped {
                Before::Unsure
            } else {
                word_before(keyword)
            },
        )?;
        (self.word, self.earlier_word) = (keyword, earlier);
        if NEST_STATEMENTS.contains(&keyword) {
            self.level.statements += 1;
        }
        Ok(())
    }

    /// Whether the previous statement has ended, because the current word cannot continue it.
    fn ended_before_word(&self) -> bool {
        let line_ends_it = self.newline
            && self.before == Before::Operand
            && self.last != Last::Dot
            && !WANT_A_WORD.contains(&self.word)
            && !self.word.contains('\\');
        matches!(self.last, Last::Semicolon | Last::Brace) || line_ends_it
    }

    fn statement_ends(&mut self) {
        let level = &mut self.level;
        let ended = level.tokens;
        (level.tokens, level.statements) = (0, 0);
        self.tokens -= ended;
        if self.last == Last::Semicolon {
            self.last = Last::Other;
        }
    }

    /// Reads a comma. In parentheses, square brackets and substitutions, it ends all nested
    /// expressions; elsewhere, the surrounding statements stay open.
    fn comma(&mut self) {
        self.punctuation();
        let level = &mut self.level;
        let stay = match level.kind {
            Kind::Brace | Kind::Program => level.statements,
            Kind::Paren | Kind::Bracket | Kind::Substitution => 0,
        };
        let ended = level.tokens - stay;
        (level.tokens, level.statements) = (stay, stay);
        self.tokens -= ended;
    }

    fn operator(&mut self) -> Result<(), NestingError> {
        let text = self.text;
        let end = operator_end(text, self.at);
        let operator = &text[self.at..end];
        let before = match operator {
            // After an operand on the same line, the operator belongs to that operand.
            "++" | "--" if self.newline => Before::Unsure,
            "++" | "--" => self.before,
            "." | "?." => Before::Operand,
            _ => Before::Operator,
        };
        self.token(end, before)?;
        if matches!(operator, "." | "?." | "#") {
            self.last = Last::Dot;
        }
        if operator == ":" {
            // The colon of a label.
            self.level.statements += 1;
        }
        Ok(())
    }

    fn open(&mut self, kind: Kind) -> Result<(), NestingError> {
        let head = match (kind, self.word) {
            (Kind::Paren, "if" | "while" | "for" | "with") => Before::Operator,
            (Kind::Paren, "await") if self.earlier_word == "for" => Before::Operator,
            (Kind::Paren, word) if word.contains('\\') => Before::Unsure,
            (Kind::Brace, _) => Before::Unsure,
            _ => Before::Operand,
        };
        let width = if kind == Kind::Substitution { 2 } else { 1 };
        self.token(self.at + width, Before::Operator)?;
        let around = std::mem::replace(&mut self.level, Level::new(kind, head));
        self.outer.push(around);
        if self.outer.len() > MAX_BRACKETS {
            return Err(self.refusal(format!(
                "the code is nested too deeply: {MAX_BRACKETS} brackets inside each other are the limit"
            )));
        }
        Ok(())
    }

    /// Closes a bracket; `None` if another bracket must be closed first.
    fn close(&mut self, kind: Kind) -> Option<()> {
        if self.level.kind != kind {
            return None;
        }
        let closed = std::mem::replace(&mut self.level, self.outer.pop()?);
        self.tokens -= closed.tokens;
        self.punctuation();
        self.before = closed.closes_as;
        if kind == Kind::Brace {
            self.last = Last::Brace;
        }
        Some(())
    }

    /// Reads the text of a template up to its end or a substitution. `None` if the template has no
    /// end.
    fn template(&mut self) -> Result<Option<()>, NestingError> {
        let Some((end, substitution)) = template_part(self.text, self.at) else {
            return Ok(None);
        };
        self.skip_to(end);
        (self.before, self.newline) = (Before::Operand, false);
        if substitution {
            self.open(Kind::Substitution)?;
        } else {
            self.skip_to(end + 1);
        }
        Ok(Some(()))
    }

    fn refusal(&self, message: String) -> NestingError {
        NestingError {
            at: self.at,
            message,
        }
    }
}

impl Level {
    fn new(kind: Kind, closes_as: Before) -> Self {
        Self {
            kind,
            closes_as,
            tokens: 0,
            statements: 0,
        }
    }
}

/// Words that can continue a statement after a line break, a `}` or a `;`.
const CONTINUE_A_STATEMENT: &[&str] = &[
    "catch",
    "else",
    "extends",
    "finally",
    "in",
    "instanceof",
    "of",
    "while",
];

/// Keywords after which a line break does not end a statement.
const WANT_A_WORD: &[&str] = &[
    "async",
    "await",
    "case",
    "class",
    "const",
    "default",
    "delete",
    "do",
    "else",
    "export",
    "extends",
    "for",
    "function",
    "get",
    "import",
    "in",
    "instanceof",
    "let",
    "new",
    "of",
    "return",
    "set",
    "static",
    "throw",
    "typeof",
    "using",
    "var",
    "void",
    "yield",
];

/// Keywords of statements that contain a statement.
const NEST_STATEMENTS: &[&str] = &["do", "else", "for", "if", "while", "with"];

fn word_before(word: &str) -> Before {
    match word {
        "await" | "of" | "yield" => Before::Unsure,
        "case" | "delete" | "do" | "else" | "extends" | "in" | "instanceof" | "new" | "return"
        | "throw" | "typeof" | "void" => Before::Operator,
        _ => Before::Operand,
    }
}

#[cfg(test)]
#[path = "nesting_tests.rs"]
mod tests;
