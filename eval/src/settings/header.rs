//! Parses `--header`: HTTP headers that the user adds to requests. The run records a header's value
//! or, for a secret, the name of the environment variable that contains it.

use std::env;

use harness::provider::http::{ExtraHeader, HeaderError, Secret};
use serde_json::Value;

use super::SettingsError;
use super::secret_field::secret_field;
use super::values::is_variable_name;

/// A header that the user adds to the requests to a server.
#[derive(Debug, Clone)]
pub struct Header {
    /// Recorded form: `NAME=VALUE` or `NAME=env:VARIABLE`, with the name in lowercase.
    pub recorded: String,
    /// Whether the value comes from an environment variable.
    pub is_secret: bool,
    /// Header as sent.
    pub sent: ExtraHeader,
}

/// Parses the values of `--header`.
///
/// # Errors
/// [`SettingsError`] for the first header that is invalid, reveals a secret, or is a duplicate.
pub(super) fn read(given: &[String]) -> Result<Vec<Header>, SettingsError> {
    let mut headers: Vec<Header> = Vec::new();
    for text in given.iter().filter(|text| !text.trim().is_empty()) {
        let header = one(text)?;
        let name = header.sent.name();
        if headers.iter().any(|other| other.sent.name() == name) {
            return Err(SettingsError::new(format!(
                "--header {name}: duplicate header; remove one of them"
            )));
        }
        headers.push(header);
    }
    Ok(headers)
}

fn one(text: &str) -> Result<Header, SettingsError> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    // A malformed header may be a secret, so the message must not quote it.
    if name.is_empty() || value.is_empty() {
        return Err(SettingsError::new(
            "--header: a name or a value is missing; expected NAME=VALUE or NAME=env:VARIABLE, as in x-team=blue",
        ));
    }
    let wrong = |problem: HeaderError| {
        let name = match problem {
            HeaderError::Name => String::new(),
            _ => format!(" {name}"),
        };
        SettingsError::new(format!("--header{name}: {problem}"))
    };
    let Some((scheme, variable)) = reference(value) else {
        let sent = ExtraHeader::new(&name, value).map_err(wrong)?;
        if secret_field(&name, &Value::from(value)).is_some() {
            return Err(SettingsError::with_hint(
                format!(
                    "--header {name}: it contains a secret, but headers are stored with the run"
                ),
                format!(
                    "pass the name of an environment variable that contains it: --header \
                     {name}=env:VARIABLE"
                ),
            ));
        }
        return Ok(Header {
            recorded: format!("{name}={value}"),
            is_secret: false,
            sent,
        });
    };
    let secret = env::var(variable)
        .ok()
        .filter(|secret| !secret.trim().is_empty());
    let secret = secret.ok_or_else(|| {
        SettingsError::with_hint(
            format!("--header {name}: the environment variable {variable} is not set"),
            format!("export {variable}=…"),
        )
    })?;
    let secret = Secret::new(&secret);
    let before = scheme.map_or(String::new(), |scheme| format!("{scheme} "));
    Ok(Header {
        recorded: format!("{name}={before}env:{variable}"),
        is_secret: true,
        sent: ExtraHeader::secret(&name, scheme, &secret).map_err(wrong)?,
    })
}

/// Parses a reference to an environment variable: `$KEY`, `${KEY}`, `env:KEY` or `Bearer $KEY`.
/// Returns the scheme, such as `Bearer`, if any, and the name of the variable.
fn reference(value: &str) -> Option<(Option<&str>, &str)> {
    let (scheme, word) = match value.split_once(' ') {
        Some((scheme, word)) => (Some(scheme), word.trim()),
        None => (None, value),
    };
    let braced = word
        .strip_prefix("${")
        .and_then(|word| word.strip_suffix('}'));
    let variable = braced
        .or_else(|| word.strip_prefix('$'))
        .or_else(|| word.strip_prefix("env:"))?;
    let is_scheme = |scheme: &str| scheme.bytes().all(|letter| letter.is_ascii_alphabetic());
    (is_variable_name(variable) && scheme.is_none_or(is_scheme)).then_some((scheme, variable))
}

#[cfg(test)]
mod tests {
    use super::reference;

    #[test]
    fn parses_references_to_variables() {
        let rows = [
            ("env:KEY", Some((None, "KEY"))),
            ("$KEY_2", Some((None, "KEY_2"))),
            ("${_KEY}", Some((None, "_KEY"))),
            ("Bearer $KEY", Some((Some("Bearer"), "KEY"))),
            ("Bearer  env:KEY", Some((Some("Bearer"), "KEY"))),
            ("blue", None),
            ("$", None),
            ("$2", None),
            ("${KEY", None),
            ("a$KEY", None),
            ("a=b $KEY", None),
            ("one two $KEY", None),
        ];
        for (value, expected) in rows {
            assert_eq!(reference(value), expected, "{value}");
        }
    }
}
