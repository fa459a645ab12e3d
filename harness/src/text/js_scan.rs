//! A simplified line-by-line scan of JavaScript. It detects whether a line begins inside a template
//! literal, and whether it ends in code, a comment or a literal.

/// State of the scan between two lines.
#[derive(Debug, Default, Clone)]
pub(crate) struct JsScan {
    /// Enclosing constructs, innermost last; empty at the top level.
    stack: Vec<Inside>,
    /// Last character that is neither white space nor part of a comment, to distinguish a regular
    /// expression from a division.
    previous: Option<char>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Template,
    /// `${ … }` in a template literal. Contains the number of open braces.
    Expression(u32),
    BlockComment,
}

/// Construct in which a line of code ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Code,
    Comment,
    /// A string, a template literal or a regular expression.
    Text,
}

impl JsScan {
    /// Whether the next character belongs to the text of a template literal.
    pub fn in_template(&self) -> bool {
        self.stack.last() == Some(&Inside::Template)
    }

    /// Scans one line. Quoted strings and regular expressions end with the line.
    pub fn line(&mut self, line: &str) -> Ending {
        let mut closed = true;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match self.stack.last_mut() {
                Some(Inside::Template) => match c {
                    '\\' => drop(chars.next()),
                    '`' => {
                        self.stack.pop();
                        self.previous = Some('`');
                    }
                    '$' if chars.peek() == Some(&'{') => {
                        chars.next();
                        self.stack.push(Inside::Expression(0));
                        self.previous = Some('{');
                    }
                    _ => {}
                },
                Some(Inside::BlockComment) => {
                    if c == '*' && chars.peek() == Some(&'/') {
                        chars.next();
                        self.stack.pop();
                    }
                }
                _ => {
                    match c {
                        '/' if chars.peek() == Some(&'/') => return Ending::Comment,
                        '/' if chars.peek() == Some(&'*') => {
                            chars.next();
                            self.stack.push(Inside::BlockComment);
                            continue;
                        }
                        '/' if self.starts_regex() => closed = skip_regex(&mut chars),
                        '"' | '\'' => closed = skip_string(&mut chars, c),
                        '`' => self.stack.push(Inside::Template),
                        '{' => self.brace(1),
                        '}' => self.brace(-1),
                        _ => {}
                    }
                    if !c.is_whitespace() {
                        self.previous = Some(c);
                    }
                }
            }
        }
        match self.stack.last() {
            Some(Inside::BlockComment) => Ending::Comment,
            Some(Inside::Template) => Ending::Text,
            _ if closed => Ending::Code,
            _ => Ending::Text,
        }
    }

    fn brace(&mut self, by: i32) {
        let Some(Inside::Expression(open)) = self.stack.last_mut() else {
            return;
        };
        if by > 0 {
            *open += 1;
        } else if *open > 0 {
            *open -= 1;
        } else {
            self.stack.pop();
        }
    }

    /// Whether a slash begins a regular expression, because it is at the start or after an
    /// operator. After a value, it is a division.
    fn starts_regex(&self) -> bool {
        self.previous.is_none_or(|c| {
            !(c.is_alphanumeric() || matches!(c, '_' | '$' | ')' | ']' | '}' | '"' | '\'' | '`'))
        })
    }
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips a string and returns whether it was closed.
fn skip_string(chars: &mut Chars<'_>, quote: char) -> bool {
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\n' => return false,
            c if c == quote => return true,
            _ => {}
        }
    }
    false
}

/// Skips a regular expression and returns whether it was closed.
fn skip_regex(chars: &mut Chars<'_>) -> bool {
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\n' => return false,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return true,
            _ => {}
        }
    }
    false
}
