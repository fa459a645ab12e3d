//! Keys and limits of the clients that may call a server's agents.

use std::collections::HashSet;
use std::env;
use std::num::NonZeroU32;
use std::path::Path;

use globset::{Glob, GlobSet, GlobSetBuilder};
use harness::Budget;
use harness::provider::http::Secret;
use serde::Deserialize;
use serve::{Client, Clients, KeyHash};

use super::served::{check_name, read};
use crate::process::env_vars;
use crate::settings::SettingsError;

/// Minimum length of a key in characters; shorter keys can be guessed.
const MIN_KEY_CHARS: usize = 16;

/// Contents of the `--client-keys` file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    clients: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    key_sha256: Option<String>,
    key_env: Option<String>,
    models: Option<Vec<String>>,
    requests_per_minute: Option<NonZeroU32>,
    max_concurrency: Option<usize>,
    max_cost: Option<f64>,
    max_tokens: Option<u64>,
    max_llm_calls: Option<u64>,
}

/// Returns the clients in a file. Without a file, accepts only the key in the environment variable
/// [`env_vars::CLIENT_KEY`], or anybody if it is not set.
pub(in crate::command) fn clients(file: Option<&Path>) -> Result<Clients, SettingsError> {
    let Some(path) = file else {
        let key = env::var(env_vars::CLIENT_KEY).unwrap_or_default();
        if key.trim().is_empty() {
            return Ok(Clients::anybody());
        }
        let hash = hash_key(&key)
            .map_err(|why| SettingsError::new(format!("{}: {why}", env_vars::CLIENT_KEY)))?;
        return Ok(Clients::with_keys([(hash, Client::new("client"))]));
    };
    let File { clients } = read(path)?;
    let wrong = |name: &str, problem: String| {
        SettingsError::new(format!("{}: client `{name}`: {problem}", path.display()))
    };
    if clients.is_empty() {
        let problem = format!("{}: `clients` is empty", path.display());
        return Err(SettingsError::new(problem));
    }
    let (mut names, mut keys) = (HashSet::new(), HashSet::new());
    let mut all = Vec::new();
    for entry in clients {
        let name = entry.name.clone();
        check_name(&name).map_err(|problem| wrong(&name, problem))?;
        let (key, client) = client(entry).map_err(|problem| wrong(&name, problem))?;
        if !names.insert(name.clone()) {
            return Err(wrong(&name, "duplicate name".to_owned()));
        }
        if !keys.insert(key) {
            return Err(wrong(&name, "another client has the same key".to_owned()));
        }
        all.push((key, client));
    }
    Ok(Clients::with_keys(all))
}

fn client(entry: Entry) -> Result<(KeyHash, Client), String> {
    let key = match (&entry.key_sha256, &entry.key_env) {
        (Some(hash), None) => KeyHash::from_hex(hash).ok_or(
            "`key_sha256` is not 64 hexadecimal digits; create it with `printf %s KEY | sha256sum`",
        )?,
        (None, Some(variable)) => {
            let key = env::var(variable).unwrap_or_default();
            if key.trim().is_empty() {
                return Err(format!("the variable {variable} of `key_env` is not set"));
            }
            hash_key(&key).map_err(|why| format!("{variable}: {why}"))?
        }
        _ => return Err("expected either `key_sha256` or `key_env`".to_owned()),
    };
    let mut client = Client::new(entry.name);
    client.offers = entry.models.as_deref().map(globs).transpose()?;
    if let Some(requests) = entry.requests_per_minute {
        client = client.per_minute(requests);
    }
    match entry.max_concurrency {
        None => {}
        Some(0) => return Err("`max_concurrency` must be above 0".to_owned()),
        Some(requests) => client = client.at_once(requests),
    }
    if let Some(cost) = entry.max_cost
        && !(cost > 0.0 && cost.is_finite())
    {
        return Err("`max_cost` must be a number of US dollars above 0".to_owned());
    }
    client.budget = Budget {
        cost_usd: entry.max_cost,
        tokens: entry.max_tokens,
        calls: entry.max_llm_calls,
        time: None,
    };
    Ok((key, client))
}

fn globs(names: &[String]) -> Result<GlobSet, String> {
    let mut globs = GlobSetBuilder::new();
    for name in names {
        globs.add(Glob::new(name).map_err(|error| format!("`models`: {error}"))?);
    }
    globs.build().map_err(|error| format!("`models`: {error}"))
}

/// Returns the hash of a key and registers the key for redaction.
fn hash_key(key: &str) -> Result<KeyHash, String> {
    let key = key.trim();
    if key.chars().count() < MIN_KEY_CHARS {
        return Err(format!(
            "a key must have at least {MIN_KEY_CHARS} characters"
        ));
    }
    let _ = Secret::new(key);
    Ok(KeyHash::of(key))
}
