//! Settings of models: sampling, and the servers and keys of those that run over HTTP.
//!
//! Every key that is read is registered for redaction before anything is printed or stored.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::{env, fmt};

use harness::provider::Sampling;
use harness::provider::http::{Endpoint, Secret, Timeouts, endpoint, endpoints};
use harness::{AgentSettings, nearest};
use serde_json::Value;

use super::header::{self, Header};
use super::model_args::{extra, reject_fields_set_twice};
use super::{SettingsError, env_file, model_args};
use crate::cli::ModelArgs;
use crate::process::env_vars;
use crate::providers::ModelRef;
use crate::run::request_recorder::RequestRecorder;

/// Sampling and servers of a command's models.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// Sampling parameters.
    pub sampling: Sampling,
    /// Whether responses are streamed.
    pub stream: bool,
    /// Timeouts of a request.
    pub timeouts: Timeouts,
    /// Longest response in earlier starts of the run, in output tokens; `None` if there was none.
    pub longest_response: Option<u64>,
    /// Recorder of the requests that are sent, if the run records them.
    pub request_recorder: Option<Arc<RequestRecorder>>,
    /// Servers that the run uses, by the prefix of model references.
    pub servers: BTreeMap<String, Server>,
}

impl ModelSettings {
    /// Returns the base URL of each server, by prefix.
    pub fn base_urls(&self) -> BTreeMap<&str, &str> {
        let servers = self.servers.iter();
        servers
            .map(|(prefix, server)| (prefix.as_str(), server.base_url.as_str()))
            .collect()
    }

    /// Returns the user's headers as recorded: a secret is replaced by its variable.
    pub fn headers(&self) -> Vec<&str> {
        let mut headers: Vec<&str> = self
            .servers
            .values()
            .flat_map(|server| &server.headers)
            .map(|header| header.recorded.as_str())
            .collect();
        headers.sort_unstable();
        headers
    }

    /// Returns the base URLs in the run's last `config.json` that differ from the current ones,
    /// joined with commas; `None` if none differs.
    pub(super) fn moved_from(&self, config: &Value) -> Option<String> {
        let engine = config.get("engine")?;
        let Some(Value::Object(last)) = engine.get("base_urls") else {
            return None;
        };
        let now = self.base_urls();
        let moved = |(prefix, url): (&String, &Value)| {
            let url = url.as_str()?;
            let now = now.get(prefix.as_str())?;
            (url.trim_end_matches('/') != *now).then(|| url.to_owned())
        };
        let moved: Vec<String> = last.iter().filter_map(moved).collect();
        if moved.is_empty() {
            return None;
        }
        Some(moved.join(", "))
    }
}

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

/// Resolves the flags. `references` are the models, each with the flag that names it, such as
/// `--model`. The first is the main model.
///
/// # Errors
/// A [`SettingsError`] for a value that is invalid or not supported by a model's API, or for a
/// missing key.
pub(super) fn resolve(
    args: &ModelArgs,
    references: &[(String, ModelRef)],
    code_via_tool: bool,
    max_blocks: u32,
    keys: Keys,
) -> Result<ModelSettings, SettingsError> {
    let given = &args.sampling;
    let sampling = Sampling {
        temperature: given.temperature,
        seed: given.model_seed,
        max_tokens: given.max_output_tokens,
        stop: given.stop.clone(),
        effort: given.effort,
        reasoning_tokens: given.reasoning_tokens,
        code_via_tool,
        stop_after_blocks: given.stop_early.then_some(max_blocks),
        extra: extra(&given.model_args, references)?,
    };
    reject_fields_set_twice(&sampling)?;
    let timeouts = Timeouts {
        connect: *args.server.connect_timeout,
        idle: *args.server.idle_timeout,
        request: *args.server.request_timeout,
    };
    let base_url = args
        .server
        .base_url
        .as_deref()
        .map(str::trim)
        .filter(|url| !url.is_empty());
    let main = references
        .first()
        .and_then(|(_, reference)| reference.on_server());
    if base_url.is_some() && main.is_none() {
        return Err(SettingsError::with_hint(
            "--base-url: the model of --model does not run over HTTP; expected openai/MODEL, openai-responses/MODEL or \
             anthropic/MODEL",
            "set the server of a judge with a variable: OPENAI_BASE_URL, ANTHROPIC_BASE_URL, …",
        ));
    }
    let given: Vec<String> = args.header.iter().map(|one| one.to_string()).collect();
    let headers = header::read(&given)?;
    if !headers.is_empty() && main.is_none() {
        return Err(SettingsError::new(
            "--header: the model of --model does not run over HTTP, and no other server gets these headers; remove --header",
        ));
    }
    let mut servers = BTreeMap::new();
    for (place, reference) in references {
        let Some((endpoint, model)) = reference.on_server() else {
            continue;
        };
        endpoint.check(model, &sampling).map_err(|cannot| {
            unsupported(
                model_args::flag_of(cannot.setting),
                reference,
                &cannot.reason,
            )
        })?;
        let is_main = main.is_some_and(|(main, _)| main.name == endpoint.name);
        let given = base_url.filter(|_| is_main);
        let headers = if is_main { headers.clone() } else { Vec::new() };
        servers.insert(
            endpoint.name.clone(),
            server(endpoint, given, headers, (place, reference.as_str()), keys)?,
        );
    }
    Ok(ModelSettings {
        sampling,
        stream: args.server.stream,
        timeouts,
        longest_response: None,
        request_recorder: None,
        servers,
    })
}

/// Removes a definition's reasoning settings that its model's API does not support. Also returns a
/// sentence for each removed property, which starts with `of`, the name of the definition. Flags
/// override the definition and are already checked.
pub(super) fn fit_reasoning(
    of: &str,
    reference: &ModelRef,
    sampling: &Sampling,
    mut settings: AgentSettings,
) -> (AgentSettings, Vec<String>) {
    let mut left_out = Vec::new();
    let Some((endpoint, model)) = reference.on_server() else {
        return (settings, left_out);
    };
    while let Err(cannot) = endpoint.check(model, &settings.reasoning_over(sampling)) {
        let property = if cannot.setting == "effort" && settings.effort.take().is_some() {
            "effort"
        } else if settings.reasoning_tokens.take().is_some() {
            "maxTokens"
        } else if settings.effort.take().is_some() {
            "effort"
        } else {
            break;
        };
        left_out.push(format!(
            "{of}: `{reference}` is called without reasoning.{property}: {}",
            cannot.reason
        ));
    }
    (settings, left_out)
}

fn unsupported(flag: &str, reference: &ModelRef, reason: &str) -> SettingsError {
    SettingsError::new(format!("{flag}: not supported by `{reference}`: {reason}"))
}

/// Checks that at least one server receives the sampling flags, because models from files ignore
/// them. `reference` is the main model.
///
/// # Errors
/// [`SettingsError`] for the first flag that no model uses.
pub(super) fn check_sampling_is_used(
    args: &ModelArgs,
    settings: &ModelSettings,
    reference: &ModelRef,
) -> Result<(), SettingsError> {
    match args.sampling.first_given() {
        Some(flag) if settings.servers.is_empty() => {
            let reason = format!("its responses come from a file; remove {flag}");
            Err(unsupported(&flag, reference, &reason))
        }
        _ => Ok(()),
    }
}

/// Base URL of an endpoint: from a flag or the environment, or from `.env`.
enum BaseUrlSource {
    ByEnvironment(String),
    ByFile(&'static str),
}

fn find_base_url(endpoint: &Endpoint) -> Option<BaseUrlSource> {
    let name = &endpoint.base_url_variable;
    let of_file = || env_file::of_file(name).map(BaseUrlSource::ByFile);
    variable(name)
        .map(BaseUrlSource::ByEnvironment)
        .or_else(of_file)
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
        Some(url) => Some(BaseUrlSource::ByEnvironment(url.to_owned())),
        None => find_base_url(endpoint),
    };
    let (given, by_file) = match named {
        Some(BaseUrlSource::ByEnvironment(url)) => (Some(url), false),
        Some(BaseUrlSource::ByFile(url)) => (Some(url.to_owned()), true),
        None => (None, false),
    };
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
    settings: &'a ModelSettings,
    typed: Option<&str>,
) -> Option<&'a str> {
    let plain = |url: &str| url.trim().trim_end_matches('/').to_owned();
    let typed = typed.map(plain);
    let flag = variable(&env_vars::of_flag("--base-url")).map(|url| plain(&url));
    let mut servers = settings.servers.values();
    let found = servers.find(|server| {
        let url = plain(&server.base_url);
        let own = match find_base_url(server.endpoint) {
            Some(BaseUrlSource::ByEnvironment(url)) => Some(url),
            // A URL from the file is trusted only with the key of the same file.
            Some(BaseUrlSource::ByFile(url)) => {
                Some(url.to_owned()).filter(|_| server.key_is_from_env_file)
            }
            None => None,
        };
        let named = [
            typed.clone(),
            flag.clone(),
            own.map(|url| plain(&url)),
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
    let names = || endpoints().iter().map(|endpoint| endpoint.name.as_str());
    let Some(endpoint) = endpoint(name) else {
        let problem = format!("--provider: unknown provider `{name}`");
        let nearest = nearest(name, names());
        let problem = SettingsError::unknown(&problem, nearest.as_deref(), names());
        return Err(SettingsError::new(problem));
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

#[cfg(test)]
mod tests {
    use harness::provider::{Effort, Sampling};

    use super::*;

    /// A model, a change of the flags, the remaining reasoning tokens, and the sentences about
    /// removed settings.
    type Row<'a> = (
        &'a str,
        &'a dyn Fn(&mut Sampling),
        Option<u32>,
        &'a [&'a str],
    );

    #[test]
    fn drops_unsupported_reasoning_settings() {
        let tokens = |sampling: &mut Sampling| sampling.reasoning_tokens = Some(4_000);
        let warm = |sampling: &mut Sampling| sampling.temperature = Some(0.5);
        let unchanged = |_: &mut Sampling| {};
        let rows: [Row<'_>; 8] = [
            ("anthropic/m", &unchanged, Some(2_000), &[]),
            (
                "openai/m",
                &unchanged,
                None,
                &[
                    "prompt `p`: `openai/m` is called without reasoning.maxTokens: this server does not support a \
                   reasoning token budget; set the effort instead",
                ],
            ),
            (
                "openai-responses/m",
                &unchanged,
                None,
                &[
                    "prompt `p`: `openai-responses/m` is called without reasoning.maxTokens: the Responses API does not support a \
                   reasoning token budget; set the effort instead",
                ],
            ),
            (
                "openrouter/m",
                &unchanged,
                None,
                &[
                    "prompt `p`: `openrouter/m` is called without reasoning.maxTokens: OpenRouter accepts either an effort \
                   or a reasoning token budget",
                ],
            ),
            (
                "anthropic/m",
                &warm,
                None,
                &[
                    "prompt `p`: `anthropic/m` is called without reasoning.maxTokens: Anthropic's API supports only \
                   temperature 1 with a reasoning token budget",
                ],
            ),
            (
                "anthropic/claude-opus-4-8",
                &unchanged,
                None,
                &[
                    "prompt `p`: `anthropic/claude-opus-4-8` is called without reasoning.maxTokens: `claude-opus-4-8` does \
                   not support a reasoning token budget; set the effort instead",
                ],
            ),
            ("anthropic/m", &tokens, Some(2_000), &[]),
            ("scripted", &unchanged, Some(2_000), &[]),
        ];
        for (reference, change, kept, sentences) in rows {
            let mut sampling = Sampling::default();
            change(&mut sampling);
            let settings = AgentSettings {
                effort: Some(Effort::High),
                reasoning_tokens: Some(2_000),
                ..AgentSettings::default()
            };
            let model = reference.parse().expect("a reference");
            let (fitted, left_out) = fit_reasoning("prompt `p`", &model, &sampling, settings);
            assert_eq!(
                (fitted.effort, fitted.reasoning_tokens),
                (Some(Effort::High), kept),
                "{reference}"
            );
            assert_eq!(left_out, sentences, "{reference}");
        }
    }
}
