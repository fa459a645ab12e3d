//! Query parameters of a request.

use std::str::FromStr;

use percent_encoding::percent_decode_str;
use url::form_urlencoded;

use super::error::ViewError;

/// Query parameters of a request. If a parameter is repeated, its first value is used.
#[derive(Debug)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses the part of a URL after the `?`.
    pub fn new(query: &str) -> Self {
        Self(
            form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        )
    }

    /// Returns a parameter, if given.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns a required parameter.
    ///
    /// # Errors
    /// Returns [`ViewError::Parameter`] if the parameter is missing.
    pub fn required(&self, name: &'static str) -> Result<&str, ViewError> {
        self.get(name)
            .ok_or_else(|| ViewError::parameter(name, "missing"))
    }

    /// Parses ids that are percent-encoded and joined by `/`, because an id may itself contain a
    /// `/`.
    ///
    /// # Errors
    /// Returns [`ViewError::Parameter`] if the parameter is missing.
    pub fn ids(&self, name: &'static str) -> Result<Vec<String>, ViewError> {
        let ids = self.required(name)?.split('/');
        let ids = ids.map(|id| percent_decode_str(id).decode_utf8_lossy().into_owned());
        Ok(ids.collect())
    }

    /// Parses a number, or returns `default` if the parameter is missing.
    ///
    /// # Errors
    /// Returns [`ViewError::Parameter`] if the value is not a whole number in range.
    pub fn number<T: FromStr>(&self, name: &'static str, default: T) -> Result<T, ViewError> {
        let Some(text) = self.get(name) else {
            return Ok(default);
        };
        text.parse().map_err(|_| {
            let problem = format!("invalid value `{text}`: expected a whole number in range");
            ViewError::parameter(name, problem)
        })
    }
}
