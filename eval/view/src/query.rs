//! The parameters of a request.

use std::str::FromStr;

use percent_encoding::percent_decode_str;
use url::form_urlencoded;

use super::error::ViewError;

/// The parameters of a request; of one that is given twice, the first counts.
#[derive(Debug)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Of the part of an address that follows the `?`.
    pub fn new(query: &str) -> Self {
        Self(
            form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        )
    }

    /// A parameter, if it is given.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A parameter that has to be given.
    ///
    /// # Errors
    /// [`ViewError::Parameter`] if it is not.
    pub fn required(&self, name: &'static str) -> Result<&str, ViewError> {
        self.get(name).ok_or_else(|| ViewError::Parameter {
            name,
            problem: "missing".to_owned(),
        })
    }

    /// Ids in percent-encoding, joined by `/`: an id may hold a `/` itself.
    ///
    /// # Errors
    /// [`ViewError::Parameter`] if they are not given.
    pub fn ids(&self, name: &'static str) -> Result<Vec<String>, ViewError> {
        let ids = self.required(name)?.split('/');
        let ids = ids.map(|id| percent_decode_str(id).decode_utf8_lossy().into_owned());
        Ok(ids.collect())
    }

    /// A number, or `default` if it is not given.
    ///
    /// # Errors
    /// [`ViewError::Parameter`] for what is no whole number.
    pub fn number<T: FromStr>(&self, name: &'static str, default: T) -> Result<T, ViewError> {
        let Some(text) = self.get(name) else {
            return Ok(default);
        };
        text.parse().map_err(|_| ViewError::Parameter {
            name,
            problem: format!("`{text}` is no whole number in range"),
        })
    }
}
