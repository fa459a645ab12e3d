//! YAML that a user wrote, with faults reported at their line.

use serde::de::DeserializeOwned;

use super::error::PromptError;
use crate::text::yaml::YamlError;

/// Reads a value from YAML whose line numbers are those of the file `origin`.
///
/// # Errors
/// [`PromptError::Invalid`] with the line's number and text: a wrong type is reported without the
/// field's name, and the line shows it.
pub(super) fn parse<T: DeserializeOwned>(origin: &str, yaml: &str) -> Result<T, PromptError> {
    crate::text::yaml::read(yaml).map_err(|YamlError { line, message }| {
        let text = line.and_then(|line| {
            yaml.lines()
                .nth(usize::try_from(line).ok()?.checked_sub(1)?)
        });
        let number = line.map(|line| format!(":{line}")).unwrap_or_default();
        let near = text
            .map(|text| format!(", near `{}`", text.trim()))
            .unwrap_or_default();
        PromptError::Invalid {
            origin: format!("{origin}{number}"),
            problem: message + &near,
        }
    })
}
