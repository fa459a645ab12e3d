//! Headers that the user adds to every request.

use reqwest::header::{HeaderName, HeaderValue};

use super::Secret;

/// Headers that users cannot add, because they describe the body or the connection.
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

/// A header that the user adds to every request. The value of a secret header is never shown.
#[derive(Debug, Clone)]
pub struct ExtraHeader {
    name: HeaderName,
    value: HeaderValue,
}

/// Reason why a header cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The name is not a valid HTTP header name.
    #[error("invalid HTTP header name")]
    Name,
    /// The header describes the body, the connection or the proxy.
    #[error("the program sets this header itself")]
    Own,
    /// The value contains characters that are invalid in HTTP headers.
    #[error("its value contains characters that are invalid in HTTP headers")]
    Value,
}

impl ExtraHeader {
    /// Creates a header with a public value.
    ///
    /// # Errors
    /// Returns [`HeaderError`] if the header cannot be sent.
    pub fn new(name: &str, value: &str) -> Result<Self, HeaderError> {
        let name: HeaderName = name.parse().map_err(|_| HeaderError::Name)?;
        if OWN.contains(&name.as_str()) || name.as_str().starts_with("proxy-") {
            return Err(HeaderError::Own);
        }
        let value = HeaderValue::from_str(value).map_err(|_| HeaderError::Value)?;
        Ok(Self { name, value })
    }

    /// Creates a header with a secret value. `scheme`, such as `Bearer`, precedes the value.
    ///
    /// # Errors
    /// Returns [`HeaderError`] if the header cannot be sent.
    pub fn secret(name: &str, scheme: Option<&str>, secret: &Secret) -> Result<Self, HeaderError> {
        let secret = secret.reveal();
        let value = scheme.map(|scheme| format!("{scheme} {secret}"));
        let mut header = Self::new(name, value.as_deref().unwrap_or(secret))?;
        header.value.set_sensitive(true);
        Ok(header)
    }

    /// Returns the name in lowercase.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    pub(super) fn sent(&self) -> (HeaderName, HeaderValue) {
        (self.name.clone(), self.value.clone())
    }
}
