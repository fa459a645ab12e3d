//! Parses `.env`: lines of the form `NAME=value`, without variable substitution or command
//! execution.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// 1-based number of the line with the name.
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) value: String,
}

/// Parses the variables of a file, in order.
///
/// A line may start with `export`. A bare value ends at ` #` or at the end of the line. Single
/// quotes enclose literal text. In double quotes, `\n`, `\"`, `\\` and `\$` are escapes. Quoted
/// values may span lines.
///
/// # Errors
/// The 1-based number of the first invalid line.
pub(super) fn entries(text: &str) -> Result<Vec<Entry>, usize> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().zip(1..);
    let mut entries = Vec::new();
    while let Some((line, number)) = lines.next() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let assignment = match line.strip_prefix("export") {
            Some(rest) if rest.starts_with(char::is_whitespace) => rest,
            _ => line,
        };
        let (name, value) = assignment.split_once('=').ok_or(number)?;
        let name = name.trim();
        if !is_name(name) {
            return Err(number);
        }
        let value = value.trim_start();
        let value = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let mut quoted = value[1..].to_owned();
                loop {
                    if let Some(value) = unquoted(&quoted, quote).map_err(|()| number)? {
                        break value;
                    }
                    let (next, _) = lines.next().ok_or(number)?;
                    quoted = format!("{quoted}\n{next}");
                }
            }
            _ => bare(value).to_owned(),
        };
        entries.push(Entry {
            line: number,
            name: name.to_owned(),
            value,
        });
    }
    Ok(entries)
}

fn is_name(name: &str) -> bool {
    let mut letters = name.bytes();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|next| next.is_ascii_alphanumeric() || matches!(next, b'_' | b'.' | b'-'))
}

/// Returns a bare value without a trailing comment.
fn bare(value: &str) -> &str {
    if value.starts_with('#') {
        return "";
    }
    let comment = value
        .match_indices('#')
        .find(|(at, _)| value[..*at].ends_with(char::is_whitespace));
    comment.map_or(value, |(at, _)| &value[..at]).trim_end()
}

/// Returns the value before the closing quote, or `None` if the quote is not closed yet.
///
/// # Errors
/// Text other than a comment follows the closing quote.
fn unquoted(text: &str, quote: char) -> Result<Option<String>, ()> {
    let mut value = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            _ if letter == quote => {
                let rest = letters.as_str().trim();
                return if rest.is_empty() || rest.starts_with('#') {
                    Ok(Some(value))
                } else {
                    Err(())
                };
            }
            '\\' if quote == '"' => match letters.next() {
                Some('n') => value.push('\n'),
                Some(escaped @ ('"' | '\\' | '$')) => value.push(escaped),
                Some(other) => value.extend(['\\', other]),
                None => value.push('\\'),
            },
            _ => value.push(letter),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::entries;

    #[test]
    fn parses_values_literally() {
        type Entries<'a> = &'a [(usize, &'a str, &'a str)];
        let rows: [(&str, Result<Entries<'_>, usize>); 17] = [
            ("", Ok(&[])),
            ("# A=1\n\n A = 1 \n", Ok(&[(3, "A", "1")])),
            (
                "export A=1\r\nexported=2",
                Ok(&[(1, "A", "1"), (2, "exported", "2")]),
            ),
            ("A=", Ok(&[(1, "A", "")])),
            ("A=a b # c", Ok(&[(1, "A", "a b")])),
            ("A=a#b", Ok(&[(1, "A", "a#b")])),
            ("A= # c", Ok(&[(1, "A", "")])),
            (
                "A=${HOME}$B`id`$(id)",
                Ok(&[(1, "A", "${HOME}$B`id`$(id)")]),
            ),
            (
                "A=\"${HOME} # \\n\\\"\\\\\\$x\" # c",
                Ok(&[(1, "A", "${HOME} # \n\"\\$x")]),
            ),
            ("A='a\\n\"' ", Ok(&[(1, "A", "a\\n\"")])),
            (
                "A='one\ntwo=2\n'\nB=3",
                Ok(&[(1, "A", "one\ntwo=2\n"), (4, "B", "3")]),
            ),
            ("A=1=2", Ok(&[(1, "A", "1=2")])),
            ("\u{feff}A=1", Ok(&[(1, "A", "1")])),
            ("A=1\nB", Err(2)),
            ("A B=1", Err(1)),
            ("\nA='1' 2", Err(2)),
            ("\nA=\"1\nB=2", Err(2)),
        ];
        for (text, expected) in rows {
            let read = entries(text);
            let read: Result<Vec<(usize, &str, &str)>, usize> = match &read {
                Ok(entries) => Ok(entries
                    .iter()
                    .map(|entry| (entry.line, entry.name.as_str(), entry.value.as_str()))
                    .collect()),
                Err(line) => Err(*line),
            };
            assert_eq!(read, expected.map(<[_]>::to_vec), "{text:?}");
        }
    }
}
