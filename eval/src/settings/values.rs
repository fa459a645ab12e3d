//! Parsers of single values, checks of bounds, and lists of names, so that zero and absurd values
//! are rejected before anything starts.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_json::Value;

use super::SettingsError;

pub use harness::settings::{Seconds, fields};
pub(crate) use harness::settings::{decimal, one_of, whole};

/// Parses US dollars, from a hundredth of a cent to a million.
///
/// # Errors
/// A description of valid values.
pub(crate) fn dollars(text: &str) -> Result<f64, String> {
    decimal(0.0001..=1_000_000.0)(text)
}

/// Returns the value of a flag if it is within bounds.
///
/// # Errors
/// [`SettingsError`] if it is out of bounds.
pub(crate) fn within<T: PartialOrd + Display>(
    flag: &str,
    value: T,
    bounds: &RangeInclusive<T>,
) -> Result<T, SettingsError> {
    if bounds.contains(&value) {
        return Ok(value);
    }
    let (least, most) = (bounds.start(), bounds.end());
    Err(SettingsError::new(format!(
        "{flag} {value}: expected a number from {least} to {most}"
    )))
}

/// Returns the trimmed names in order, without duplicates. Blank entries are ignored, so that
/// `--drivers ""` in a script means none.
pub(crate) fn names(given: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(given.len());
    for name in given.iter().map(|name| name.trim()) {
        if !name.is_empty() && !names.iter().any(|earlier| earlier == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Whether a text can be the name of an environment variable in a shell.
pub(super) fn is_variable_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_part)
}

/// Returns one or several values of a settings file as words of a command line.
///
/// # Errors
/// A description of valid values.
pub(crate) fn to_words(values: &Value) -> Result<Vec<String>, String> {
    match values {
        Value::Array(values) => values.iter().map(to_word).collect(),
        value => Ok(vec![to_word(value)?]),
    }
}

fn to_word(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(format!(
            "expected a string, a number, true or false, not {value}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn ignores_blanks_and_duplicates() {
        let cases: [(&[&str], &[&str]); 4] = [
            (&[], &[]),
            (&["", " "], &[]),
            (&["b", " a ", "b", ""], &["b", "a"]),
            (&["a b"], &["a b"]),
        ];
        for (given, expected) in cases {
            let given: Vec<String> = given.iter().map(ToString::to_string).collect();
            assert_eq!(names(&given), expected, "{given:?}");
        }
    }
}
