//! Parses YAML from users and reports faults with their lines.

use serde::de::DeserializeOwned;

use super::error::PromptError;
use crate::text::LineError;

/// Parses a value from the YAML of the file `origin`.
///
/// # Errors
/// Returns [`PromptError::Invalid`] with the number and text of the line. Errors about a wrong type
/// do not name the field, but the text of the line contains it.
pub(super) fn parse<T: DeserializeOwned>(origin: &str, yaml: &str) -> Result<T, PromptError> {
    crate::text::yaml::read(yaml).map_err(|LineError { line, problem }| {
        let text = line.and_then(|line| {
            yaml.lines()
                .nth(usize::try_from(line).ok()?.checked_sub(1)?)
        });
        let number = line.map(|line| format!(":{line}")).unwrap_or_default();
        let near = text
            .map(|text| format!(", near `{}`", text.trim()))
            .unwrap_or_default();
        PromptError::Invalid(format!("{origin}{number}: {problem}{near}"))
    })
}
