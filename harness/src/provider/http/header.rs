//! Headers that the user adds to every request.

use reqwest::header::{HeaderName, HeaderValue};

use super::Secret;

/// Headers without which a request or its response could not be read, and those of the connection.
const OWN: [&str; 13] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

/// A header that the user adds to every request. What came from a [`Secret`] is never shown.
#[derive(Debug, Clone)]
pub struct ExtraHeader {
    name: HeaderName,
    value: HeaderValue,
}

/// Why a header cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// HTTP has no such names.
    #[error("this is no name of an HTTP header")]
    Name,
    /// It is one of [`OWN`].
    #[error("the program sets this header itself")]
    Own,
    /// HTTP cannot carry the value.
    #[error("its value holds characters that no HTTP header can carry")]
    Value,
}

impl ExtraHeader {
    /// A header whose value anybody may read.
    ///
    /// # Errors
    /// [`HeaderError`].
    pub fn new(name: &str, value: &str) -> Result<Self, HeaderError> {
        let name: HeaderName = name.parse().map_err(|_| HeaderError::Name)?;
        if OWN.contains(&name.as_str()) || name.as_str().starts_with("proxy-") {
            return Err(HeaderError::Own);
        }
        let value = HeaderValue::from_str(value).map_err(|_| HeaderError::Value)?;
        Ok(Self { name, value })
    }

    /// A header whose value is a secret, behind the name of a scheme if there is one: `Bearer`.
    ///
    /// # Errors
    /// [`HeaderError`].
    pub fn secret(name: &str, scheme: Option<&str>, secret: &Secret) -> Result<Self, HeaderError> {
        let secret = secret.reveal();
        let value = scheme.map(|scheme| format!("{scheme} {secret}"));
        let mut header = Self::new(name, value.as_deref().unwrap_or(secret))?;
        header.value.set_sensitive(true);
        Ok(header)
    }

    /// Its name, in lower case.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// As it is sent.
    pub(super) fn sent(&self) -> (HeaderName, HeaderValue) {
        (self.name.clone(), self.value.clone())
    }
}
