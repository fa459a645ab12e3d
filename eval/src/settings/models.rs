//! Settings of models: how they are asked, and the servers and keys of those that run over HTTP.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fmt};

use harness::provider::Sampling;
use harness::provider::http::{Endpoint, Secret, Timeouts, endpoint, endpoints};
use harness::{AgentSettings, nearest};
use serde_json::Value;

use super::header::{self, Header};
use super::model_args::{both_given, extra};
use super::{SettingsError, env_file};
use crate::cli::ModelArgs;
use crate::env_vars;
use crate::providers::ModelRef;

/// How the models of a command are asked, and where.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// How they are to answer.
    pub sampling: Sampling,
    /// Whether responses are streamed.
    pub stream: bool,
    /// How long a request may take.
    pub timeouts: Timeouts,
    /// The longest response of earlier starts of the run, in output tokens; none if there is none.
    pub longest_response: Option<u64>,
    /// The servers that the run uses, by their prefix.
    pub servers: BTreeMap<String, Server>,
}

impl ModelSettings {
    /// Where the models of each prefix run.
    pub fn base_urls(&self) -> BTreeMap<&str, &str> {
        let servers = self.servers.iter();
        servers
            .map(|(prefix, server)| (prefix.as_str(), server.base_url.as_str()))
            .collect()
    }

    /// The headers that the user adds, as they are recorded: of a secret, where it comes from.
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

    /// Where the last start of a run asked models, by its `config.json`, if it is another place now.
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

/// A server of models, and the key to it.
#[derive(Clone)]
pub struct Server {
    /// What it is.
    pub endpoint: &'static Endpoint,
    /// Where it is.
    pub base_url: String,
    /// The key, for the provider alone.
    pub key: Option<Secret>,
    /// Whether the key is that of the file `.env`.
    pub key_is_of_file: bool,
    /// What the user adds to each request.
    pub headers: Vec<Header>,
}

/// Shows whether there is a key, and never the key.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("endpoint", &self.endpoint.name)
            .field("base_url", &self.base_url)
            .field("has_key", &self.key.is_some())
            .field("key_is_of_file", &self.key_is_of_file)
            .field("headers", &self.headers)
            .finish()
    }
}

/// Whether the keys of models are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// They are: a server may be asked.
    Needed,
    /// They are not: no server is asked.
    Unneeded,
}

/// Reads the keys of all servers, whether used or not: each key is redacted from everything that is printed
/// and stored.
pub fn know_keys() {
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

/// A variable of the environment of this process.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Resolves the flags, for models whose references have known forms. `place` says where each stands: `--model`.
///
/// # Errors
/// A [`SettingsError`] for a value that makes no sense, that a model's format cannot express, or a key that is missing.
pub(super) fn resolve(
    args: &ModelArgs,
    references: &[(String, ModelRef)],
    code_via_tool: bool,
    max_blocks: u32,
    keys: Keys,
) -> Result<ModelSettings, SettingsError> {
    let sampling = Sampling {
        temperature: args.temperature,
        seed: args.model_seed,
        max_tokens: args.max_output_tokens,
        stop: args.stop.clone(),
        effort: args.effort,
        reasoning_tokens: args.reasoning_tokens,
        code_via_tool,
        stop_after_blocks: args.stop_early.then_some(max_blocks),
        extra: extra(&args.model_args, references)?,
    };
    both_given(&sampling)?;
    let timeouts = Timeouts {
        connect: *args.connect_timeout,
        idle: *args.idle_timeout,
        request: *args.request_timeout,
    };
    let base_url = args
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
            "the server of a judge beside such a model is named by a variable: OPENAI_BASE_URL, ANTHROPIC_BASE_URL, …",
        ));
    }
    let given: Vec<String> = args.header.iter().map(|one| one.to_string()).collect();
    let headers = header::read(&given)?;
    if !headers.is_empty() && main.is_none() {
        return Err(SettingsError::new(
            "--header: the model of --model does not run over HTTP, and no other server gets these headers; leave --header out",
        ));
    }
    let mut servers = BTreeMap::new();
    for (place, reference) in references {
        let Some((endpoint, model)) = reference.on_server() else {
            continue;
        };
        endpoint
            .check(model, &sampling)
            .map_err(|cannot| unsupported(flag_of(cannot.setting), reference, &cannot.reason))?;
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
        stream: args.stream,
        timeouts,
        longest_response: None,
        servers,
    })
}

/// What a definition says of reasoning, as far as the format of its model has words for it; `of` names the definition. With it
/// comes a sentence for each property that is left out. What flags say of it is checked already, and goes over it.
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
            "{of}: `{reference}` is asked without reasoning.{property}: {}",
            cannot.reason
        ));
    }
    (settings, left_out)
}

fn unsupported(flag: &str, reference: &ModelRef, reason: &str) -> SettingsError {
    SettingsError::new(format!(
        "{flag}: `{reference}` cannot be asked so: {reason}"
    ))
}

/// Checks that a server is there to read what the flags say of how models are to answer: models from files answer what stands
/// there. `reference` is the main model.
///
/// # Errors
/// [`SettingsError`] for the first flag that nobody would read.
pub(super) fn check_read(
    args: &ModelArgs,
    settings: &ModelSettings,
    reference: &ModelRef,
) -> Result<(), SettingsError> {
    let given = [
        (args.temperature.is_some(), "--temperature"),
        (args.model_seed.is_some(), "--model-seed"),
        (args.max_output_tokens.is_some(), "--max-output-tokens"),
        (args.stop.iter().any(|text| !text.is_empty()), "--stop"),
        (args.effort.is_some(), "--effort"),
        (args.reasoning_tokens.is_some(), "--reasoning-tokens"),
        (!settings.sampling.extra.is_empty(), "--model-args"),
        (args.stop_early, "--stop-early"),
    ];
    let mut given = given.into_iter().filter(|(is_given, _)| *is_given);
    match given.next() {
        Some((_, flag)) if settings.servers.is_empty() => {
            let reason = "it answers what its file says, whatever it is asked with; leave";
            Err(unsupported(
                flag,
                reference,
                &format!("{reason} {flag} out"),
            ))
        }
        _ => Ok(()),
    }
}

/// The address of an endpoint that a variable gives: of the environment, or of the file `.env`.
enum Named {
    ByEnvironment(String),
    ByFile(&'static str),
}

fn named_address(endpoint: &Endpoint) -> Option<Named> {
    let name = &endpoint.base_url_variable;
    let of_file = || env_file::of_file(name).map(Named::ByFile);
    variable(name).map(Named::ByEnvironment).or_else(of_file)
}

/// The server of an endpoint: at the address that the user gave, by flag or by variable, or at its own. Only at its own, and
/// where it has none, must there be a key or a header that stands for it, if keys are needed. `asked` is where the reference
/// stands, and the reference.
///
/// An address of the file `.env` gets the key of that file, and no other secret.
///
/// # Errors
/// [`SettingsError`].
pub(super) fn server(
    endpoint: &'static Endpoint,
    base_url: Option<&str>,
    headers: Vec<Header>,
    (place, reference): (&str, &str),
    keys: Keys,
) -> Result<Server, SettingsError> {
    let named = match base_url {
        Some(url) => Some(Named::ByEnvironment(url.to_owned())),
        None => named_address(endpoint),
    };
    let (given, by_file) = match named {
        Some(Named::ByEnvironment(url)) => (Some(url), false),
        Some(Named::ByFile(url)) => (Some(url.to_owned()), true),
        None => (None, false),
    };
    let is_its_own = given.is_none() || endpoint.base_url.is_none();
    let Some(base_url) = given.or_else(|| endpoint.base_url.clone()) else {
        let name = &endpoint.base_url_variable;
        let example = endpoint.base_url_example.as_deref().unwrap_or_default();
        return Err(SettingsError::with_hint(
            format!(
                "{place}: `{reference}` needs the address of its server: there is no --base-url, and {name} is not set"
            ),
            format!("export {name}={example}, with what is yours in place of the capitals"),
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
            return Err(elsewhere(&secret, endpoint, &base_url));
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
                "export {name}=…, or put that line into a file .env here or at the root of the project"
            ),
        ));
    }
    Ok(Server {
        endpoint,
        base_url: base_url.trim().trim_end_matches('/').to_owned(),
        key: key.as_ref().map(|(key, _)| Secret::new(key)),
        key_is_of_file: key.is_some_and(|(_, is_of_file)| is_of_file),
        headers,
    })
}

/// A secret of this start would go to an address that a file names.
fn elsewhere(secret: &str, endpoint: &Endpoint, address: &str) -> SettingsError {
    let name = &endpoint.base_url_variable;
    let file = env_file::path().unwrap_or_else(|| Path::new(".env"));
    SettingsError::with_hint(
        format!(
            "{secret} would go to {address}, which {} names as {name}: a file cannot choose where secrets of yours go",
            file.display()
        ),
        format!(
            "to send it there, type --base-url {address} or export {name}={address}; otherwise, take that line out of the \
             file, or put the key of that server beside it"
        ),
    )
}

/// Returns the address of the first server that this start does not name: neither as `typed` nor in a
/// variable, nor is it the provider's own. For settings from a folder, which anybody may have written.
/// A server without a key counts as well, because it receives prompts and what tools read.
pub(super) fn unnamed_address<'a>(
    settings: &'a ModelSettings,
    typed: Option<&str>,
) -> Option<&'a str> {
    let plain = |url: &str| url.trim().trim_end_matches('/').to_owned();
    let typed = typed.map(plain);
    let flag = variable(&env_vars::of_flag("--base-url")).map(|url| plain(&url));
    let mut servers = settings.servers.values();
    let found = servers.find(|server| {
        let url = plain(&server.base_url);
        let own = match named_address(server.endpoint) {
            Some(Named::ByEnvironment(url)) => Some(url),
            // It counts for the key of the same file.
            Some(Named::ByFile(url)) => Some(url.to_owned()).filter(|_| server.key_is_of_file),
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

/// The server of a provider by its name, for `rlm-eval list models`.
///
/// # Errors
/// [`SettingsError`] with the nearest name, or for a key that is missing.
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

/// The flag that a setting came from.
fn flag_of(setting: &str) -> &'static str {
    match setting {
        "temperature" => "--temperature",
        "seed" => "--model-seed",
        "stop" => "--stop",
        "effort" => "--effort",
        "reasoning_tokens" => "--reasoning-tokens",
        "extra" => "--model-args",
        _ => "--max-output-tokens",
    }
}

#[cfg(test)]
mod tests {
    use harness::provider::{Effort, Sampling};

    use super::*;

    /// A model, what flags say, the tokens of reasoning that it is asked with, and what is said of those left out.
    type Row<'a> = (
        &'a str,
        &'a dyn Fn(&mut Sampling),
        Option<u32>,
        &'a [&'a str],
    );

    #[test]
    fn reasoning_is_asked_for_as_far_as_a_format_has_words_for_it() {
        let tokens = |sampling: &mut Sampling| sampling.reasoning_tokens = Some(4_000);
        let warm = |sampling: &mut Sampling| sampling.temperature = Some(0.5);
        let as_it_is = |_: &mut Sampling| {};
        let rows: [Row<'_>; 8] = [
            ("anthropic/m", &as_it_is, Some(2_000), &[]),
            (
                "openai/m",
                &as_it_is,
                None,
                &[
                    "prompt `p`: `openai/m` is asked without reasoning.maxTokens: this server takes no number of \
                   reasoning tokens; set the effort instead",
                ],
            ),
            (
                "openai-responses/m",
                &as_it_is,
                None,
                &[
                    "prompt `p`: `openai-responses/m` is asked without reasoning.maxTokens: the Responses API takes no \
                   number of reasoning tokens; set the effort instead",
                ],
            ),
            (
                "openrouter/m",
                &as_it_is,
                None,
                &[
                    "prompt `p`: `openrouter/m` is asked without reasoning.maxTokens: OpenRouter takes either an effort \
                   or a number of reasoning tokens",
                ],
            ),
            (
                "anthropic/m",
                &warm,
                None,
                &[
                    "prompt `p`: `anthropic/m` is asked without reasoning.maxTokens: Anthropic's API takes no temperature \
                   but 1 together with reasoning tokens",
                ],
            ),
            (
                "anthropic/claude-opus-4-8",
                &as_it_is,
                None,
                &[
                    "prompt `p`: `anthropic/claude-opus-4-8` is asked without reasoning.maxTokens: `claude-opus-4-8` takes \
                   no number of reasoning tokens; set the effort instead",
                ],
            ),
            ("anthropic/m", &tokens, Some(2_000), &[]),
            ("scripted", &as_it_is, Some(2_000), &[]),
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
