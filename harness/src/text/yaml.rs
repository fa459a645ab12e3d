//! Parses YAML 1.2 (<https://yaml.org/spec/1.2.2/#1032-tag-resolution>), in which `y`, `no` and
//! `on` are strings, not booleans.

use serde::de::DeserializeOwned;
use serde_saphyr::{MessageFormatter as _, UserMessageFormatter};

pub use super::line_error::LineError;

/// Parses a value. All user-written YAML must be parsed with this function, so that a list of names
/// such as `[x, y]` is a list of strings.
///
/// # Errors
/// Returns [`LineError`] if the text is invalid YAML or does not match `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, LineError> {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).map_err(|error: serde_saphyr::Error| {
        LineError {
            line: error.location().map(|location| location.line()),
            // Omits the parser's excerpt, because an error must fit on one line.
            problem: UserMessageFormatter
                .format_message(error.without_snippet())
                .into_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn reads_yes_and_no_as_text() {
        let read: Value = super::read("[x, y, n, yes, No, on, off, true, False]").unwrap();
        let words = json!(["x", "y", "n", "yes", "No", "on", "off", true, false]);
        assert_eq!(read, words);
        assert!(super::read::<bool>("yes").is_err());
    }

    #[test]
    fn reports_line_of_fault() {
        let rows = [
            ("- a\n- [b\n", "line 2: unclosed bracket '['"),
            (
                "- a\n-\n\t- b\n",
                "line 3: tabs disallowed within this context (block indentation)",
            ),
            ("a: b\n", "line 1: expected sequence start"),
        ];
        for (text, expected) in rows {
            let error = super::read::<Vec<String>>(text).unwrap_err();
            assert_eq!(error.to_string(), expected, "{text:?}");
        }
    }
}
