//! Model servers: URLs, keys and headers.
//!
//! Every key that is read is registered for redaction before anything is printed or stored.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fmt};

use harness::provider::http::{Endpoint, Secret, endpoint, endpoints};

use super::header::{self, Header};
use super::{SettingsError, env_file};
use crate::process::env_vars;

/// A model server with its key.
#[derive(Clone)]
pub struct Server {
    /// API of the server, and its defaults.
    pub endpoint: &'static Endpoint,
    /// Base URL of the server.
    pub base_url: String,
    /// API key, sent only to this server.
    pub key: Option<Secret>,
    /// Whether the key comes from the file `.env`.
    pub key_is_from_env_file: bool,
    /// Headers that the user adds to each request.
    pub headers: Vec<Header>,
}

/// Shows whether there is a key, but never the key.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("endpoint", &self.endpoint.name)
            .field("base_url", &self.base_url)
            .field("has_key", &self.key.is_some())
            .field("key_is_from_env_file", &self.key_is_from_env_file)
            .field("headers", &self.headers)
            .finish()
    }
}

/// Whether the keys of models are required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Required: a server may be called.
    Needed,
    /// Not required: no server is called.
    Unneeded,
}

/// Reads the keys of all servers, used or not, so that each key is redacted from everything printed
/// and stored.
pub fn register_secrets() {
    for name in endpoints()
        .iter()
        .filter_map(|endpoint| endpoint.key.as_deref())
    {
        let keys = [variable(name), env_file::of_file(name).map(str::to_owned)];
        for key in keys.into_iter().flatten() {
            let _ = Secret::new(&key);
        }
    }
}

/// Returns the value of an environment variable unless it is blank.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Returns the value of a variable, and whether it comes from the file `.env`.
fn variable_or_file(name: &str) -> Option<(String, bool)> {
    let of_file = || Some((env_file::of_file(name)?.to_owned(), true));
    variable(name).map(|value| (value, false)).or_else(of_file)
}

/// Returns the server of an endpoint at the URL in the flag or variable, or at its default URL.
/// `place` is the flag that names `reference`. A key, or a header that carries it, is required if
/// `keys` says so, unless the endpoint's key is optional or the URL replaces its default.
///
/// A URL from the file `.env` gets the key from that file and no other secret.
///
/// # Errors
/// [`SettingsError`] if the URL or a required key is missing, or if a URL from `.env` would receive
/// a secret that is not from that file.
pub(super) fn server(
    endpoint: &'static Endpoint,
    base_url: Option<&str>,
    headers: Vec<Header>,
    (place, reference): (&str, &str),
    keys: Keys,
) -> Result<Server, SettingsError> {
    let named = match base_url {
        Some(url) => Some((url.to_owned(), false)),
        None => variable_or_file(&endpoint.base_url_variable),
    };
    let (given, by_file) = named.map_or((None, false), |(url, by_file)| (Some(url), by_file));
    let is_its_own = given.is_none() || endpoint.base_url.is_none();
    let Some(base_url) = given.or_else(|| endpoint.base_url.clone()) else {
        let name = &endpoint.base_url_variable;
        let example = endpoint.base_url_example.as_deref().unwrap_or_default();
        return Err(SettingsError::with_hint(
            format!(
                "{place}: `{reference}` needs a server URL: neither --base-url nor {name} is set"
            ),
            format!("export {name}={example}, with your own values for the words in capitals"),
        ));
    };
    let key = endpoint.key.as_deref().and_then(|name| {
        let of_environment = variable(name).filter(|_| !by_file).map(|key| (key, false));
        of_environment.or_else(|| Some((env_file::of_file(name)?.to_owned(), true)))
    });
    if by_file {
        let own_key = endpoint.key.as_deref().filter(|_| key.is_none());
        let own_key = own_key.filter(|name| variable(name).is_some());
        let header = headers.iter().find(|header| header.is_secret);
        let secret = header.map(|header| format!("the header {}", header.sent.name()));
        if let Some(secret) = own_key.map(str::to_owned).or(secret) {
            return Err(secret_leak_error(&secret, endpoint, &base_url));
        }
    }
    let has_key = key.is_some()
        || headers
            .iter()
            .any(|header| endpoint.carries_key_in(header.sent.name()));
    if let Some(name) = &endpoint.key
        && is_its_own
        && !has_key
        && !endpoint.key_is_optional
        && keys == Keys::Needed
    {
        return Err(SettingsError::with_hint(
            format!("{place}: `{reference}` needs a key: {name} is not set"),
            format!(
                "set {name} in the environment, or add {name}=… to a .env file here or in the project root"
            ),
        ));
    }
    Ok(Server {
        endpoint,
        base_url: base_url.trim().trim_end_matches('/').to_owned(),
        key: key.as_ref().map(|(key, _)| Secret::new(key)),
        key_is_from_env_file: key.is_some_and(|(_, is_of_file)| is_of_file),
        headers,
    })
}

/// Returns the error for a secret from outside `.env` that would be sent to a URL from `.env`.
fn secret_leak_error(secret: &str, endpoint: &Endpoint, address: &str) -> SettingsError {
    let name = &endpoint.base_url_variable;
    let file = env_file::path().unwrap_or_else(|| Path::new(".env"));
    SettingsError::with_hint(
        format!(
            "{secret} would be sent to {address}, which {} sets as {name}: a file cannot choose where your secrets are sent",
            file.display()
        ),
        format!(
            "to send it there, type --base-url {address} or export {name}={address}; otherwise, remove that line from the \
             file, or add the key of that server to it"
        ),
    )
}

/// Returns the first server URL that is not `typed`, not in an environment variable or `.env`, and
/// not the provider's default. Used for settings from a folder, which anyone may have written.
/// Servers without a key also count, because they receive prompts and data from tools.
pub(super) fn first_untrusted_url<'a>(
    servers: &'a BTreeMap<String, Server>,
    typed: Option<&str>,
) -> Option<&'a str> {
    let plain = |url: &str| url.trim().trim_end_matches('/').to_owned();
    let typed = typed.map(plain);
    let flag = variable(&env_vars::of_flag("--base-url")).map(|url| plain(&url));
    let mut servers = servers.values();
    let found = servers.find(|server| {
        let url = plain(&server.base_url);
        let own = variable_or_file(&server.endpoint.base_url_variable);
        // A URL from the file is trusted only with the key of the same file.
        let own = own.filter(|(_, by_file)| !by_file || server.key_is_from_env_file);
        let named = [
            typed.clone(),
            flag.clone(),
            own.map(|(url, _)| plain(&url)),
            server.endpoint.base_url.as_deref().map(plain),
        ];
        !named.contains(&Some(url))
    })?;
    Some(&found.base_url)
}

/// Returns the server of a provider by name, for `rlm-eval list models`.
///
/// # Errors
/// [`SettingsError`] that suggests the most similar name, or reports a missing key.
pub fn provider_server(
    name: &str,
    base_url: Option<&str>,
    headers: &[String],
) -> Result<Server, SettingsError> {
    let name = name.trim();
    let Some(endpoint) = endpoint(name) else {
        let problem = format!("--provider: unknown provider `{name}`");
        let known = endpoints().iter().map(|endpoint| endpoint.name.as_str());
        let known: Vec<&str> = known.collect();
        return Err(SettingsError::new(SettingsError::unknown(
            &problem, name, &known,
        )));
    };
    let headers = header::read(headers)?;
    server(
        endpoint,
        base_url,
        headers,
        ("--provider", name),
        Keys::Needed,
    )
}
