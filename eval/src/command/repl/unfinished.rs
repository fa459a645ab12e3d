//! Whether JavaScript code goes on in the next line: a scan of brackets, strings, templates, comments and
//! operators without a right side.
//!
//! It is no parser. Where it is wrong, a cell is run too early and the sandbox says what is wrong with it,
//! or goes on until Ctrl-C.

use std::iter::Peekable;
use std::str::Chars;

/// The state of a scan after the code fed so far. Takes linear time.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// What is open, outermost first.
    open: Vec<Open>,
    within: Within,
    /// Whether a `/` here would divide: an operand precedes it.
    after_operand: bool,
    /// The operator that the code ends with, if nothing but blanks and comments follows it.
    operator: Option<char>,
    /// A bracket closed what it does not match: a syntax error, which no further line mends.
    broken: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Round,
    Square,
    Curly,
    /// Text between backticks.
    Template,
    /// `${` in such text.
    Substitution,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Code,
    LineComment,
    BlockComment,
    /// Up to this quote.
    String(char),
    Regex {
        in_class: bool,
    },
}

/// Words after which an expression begins, so that a `/` begins a regular expression.
const BEFORE_EXPRESSION: [&str; 13] = [
    "await",
    "case",
    "delete",
    "do",
    "else",
    "in",
    "instanceof",
    "new",
    "of",
    "return",
    "throw",
    "typeof",
    "void",
];

/// Characters that a statement does not end with.
const OPERATORS: &str = "=+-*/%&|^~!<>?:,.";

impl Scan {
    /// Goes on with more code. A piece must not end between two characters that belong together, as those
    /// of `/*` or `\n`; one that ends with a line does not.
    pub fn feed(&mut self, code: &str) {
        let mut rest = code.chars().peekable();
        while let Some(character) = rest.next() {
            match self.within {
                Within::Code if self.open.last() == Some(&Open::Template) => {
                    self.template(character, &mut rest);
                }
                Within::Code => self.code(character, &mut rest),
                Within::LineComment if character == '\n' => self.within = Within::Code,
                Within::BlockComment if character == '*' && rest.next_if_eq(&'/').is_some() => {
                    self.within = Within::Code;
                }
                Within::LineComment | Within::BlockComment => {}
                Within::String(quote) => match character {
                    // An escaped line break continues a string; a bare one ends it, in error.
                    '\\' => drop(rest.next()),
                    '\n' => self.operand(),
                    _ if character == quote => self.operand(),
                    _ => {}
                },
                Within::Regex { in_class } => match character {
                    '\\' => drop(rest.next_if(|next| *next != '\n')),
                    '[' => self.within = Within::Regex { in_class: true },
                    ']' => self.within = Within::Regex { in_class: false },
                    '/' if !in_class => self.operand(),
                    // It was a division.
                    '\n' => self.operand(),
                    _ => {}
                },
            }
        }
    }

    /// Whether something is still open at the end of the code fed so far, which ends with a line.
    pub fn is_unfinished(&self) -> bool {
        let open = !self.open.is_empty()
            || self.operator.is_some()
            || matches!(self.within, Within::BlockComment | Within::String(_));
        open && !self.broken
    }

    /// Back to code, after something that can be divided.
    fn operand(&mut self) {
        self.within = Within::Code;
        self.after_operand = true;
    }

    fn template(&mut self, character: char, rest: &mut Peekable<Chars<'_>>) {
        match character {
            '\\' => drop(rest.next()),
            '`' => {
                self.open.pop();
                self.after_operand = true;
            }
            '$' if rest.next_if_eq(&'{').is_some() => {
                self.open.push(Open::Substitution);
                self.after_operand = false;
            }
            _ => {}
        }
    }

    fn code(&mut self, character: char, rest: &mut Peekable<Chars<'_>>) {
        if character.is_alphanumeric() || matches!(character, '_' | '$' | '#') {
            let mut word = String::from(character);
            while let Some(next) = rest.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '$')) {
                word.push(next);
            }
            self.after_operand = !BEFORE_EXPRESSION.contains(&word.as_str());
            self.operator = None;
            return;
        }
        match character {
            _ if character.is_whitespace() => return,
            '/' if rest.next_if_eq(&'/').is_some() => {
                self.within = Within::LineComment;
                return;
            }
            '/' if rest.next_if_eq(&'*').is_some() => {
                self.within = Within::BlockComment;
                return;
            }
            _ => {}
        }
        let after_operand = std::mem::take(&mut self.after_operand);
        let operator = self.operator.take();
        match character {
            '/' if !after_operand => self.within = Within::Regex { in_class: false },
            '\'' | '"' => self.within = Within::String(character),
            '`' => self.open.push(Open::Template),
            '(' => self.open.push(Open::Round),
            '[' => self.open.push(Open::Square),
            '{' => self.open.push(Open::Curly),
            ')' => self.close(&[Open::Round]),
            ']' => self.close(&[Open::Square]),
            '}' => self.close(&[Open::Curly, Open::Substitution]),
            // The second half of `i++`, which may end a statement.
            '+' | '-' if operator == Some(character) => self.after_operand = true,
            _ if OPERATORS.contains(character) => self.operator = Some(character),
            _ => {}
        }
    }

    fn close(&mut self, matching: &[Open]) {
        match self.open.pop() {
            Some(open) if matching.contains(&open) => self.after_operand = true,
            _ => self.broken = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scan;

    #[test]
    fn a_cell_goes_on_while_something_is_open() {
        let cases = [
            ("", false),
            ("1 + 1", false),
            ("f(", true),
            ("f(\n1)", false),
            ("{ [ (", true),
            ("({[]})", false),
            ("const f = () => {", true),
            ("const f = () => {\n}", false),
            // Brackets that do not match are an error at once.
            (")", false),
            ("(]", false),
            ("{ ( }", false),
            // Strings, which end with their line, and templates, which do not.
            ("'('", false),
            ("\"it's (\"", false),
            ("'\\'('", false),
            ("'(", false),
            ("'(\\", true),
            ("'(\\\n'", false),
            ("`", true),
            ("`\n(`", false),
            ("`\\``", false),
            ("`${", true),
            ("`${f({a: `)`})} (`", false),
            ("`${`${'}'}`", true),
            ("`$ {`", false),
            // Operators without a right side.
            ("const x =", true),
            ("f(1) ||", true),
            ("const f = x => // why", true),
            ("const f = x => // why\nx", false),
            ("x.", true),
            ("i++", false),
            ("i--\n", false),
            ("a / /* by */", true),
            ("a + 'b'", false),
            ("a = b;", false),
            // Comments.
            ("// (", false),
            ("/* (", true),
            ("/* ( */", false),
            ("/* // */ (", true),
            ("'/*'", false),
            // Regular expressions and divisions.
            ("/[(/]/.test(x)", false),
            ("x = /\\/(/", false),
            ("return /(/", false),
            ("a / b / (c", true),
            ("(a) / '('.length", false),
            ("[/`/, 1]", false),
            ("i++ / 2", false),
            ("a[0] / f(`(`)", false),
            ("'ü' / \"🦀(\"", false),
        ];
        for (code, expected) in cases {
            let mut scan = Scan::default();
            for line in format!("{code}\n").split_inclusive('\n') {
                scan.feed(line);
            }
            assert_eq!(scan.is_unfinished(), expected, "{code:?}");
        }
    }
}
