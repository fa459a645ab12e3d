//! Models: sampling, timeouts, and the servers of those that run over HTTP.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use harness::AgentSettings;
use harness::provider::http::Timeouts;
use harness::provider::{Effort, Sampling};
use serde::Serialize;
use serde_json::Value;

use super::Keys;
use super::Server;
use super::flags::{MayNamePlace, NotFromFile};
use super::model_args::{extra, reject_fields_set_twice};
use super::servers::server;
use super::values::{Seconds, decimal, fields, one_of, whole};
use super::{Granted, SettingsError, header, model_args};
use crate::providers::ModelRef;
use crate::run::request_recorder::RequestRecorder;

/// Flags of model calls over HTTP. Scripted and replayed models ignore them.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// Connections to model servers.
    #[command(flatten)]
    #[serde(flatten)]
    pub server: ServerArgs,

    /// Header for every request to the main model's server: x-team=blue. Pass a secret by the name
    /// of an environment variable: api-key=env:GATEWAY_KEY or 'authorization=Bearer $TOKEN'.
    /// Repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    pub header: Vec<Granted<String>>,

    /// Sampling of responses.
    #[command(flatten)]
    #[serde(flatten)]
    pub sampling: SamplingArgs,
}

/// Settings of connections to model servers. They cannot change an answer.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Model")]
pub struct ServerArgs {
    /// Server URL for the main model and for aliases with the same prefix. The prefix chooses the
    /// API: openai/, openai-responses/ or anthropic/ [default: the provider's own]
    #[arg(long, value_name = "URL", add = NotFromFile, add = MayNamePlace)]
    pub base_url: Option<String>,

    /// Stream responses, so that a stalled server is detected after --idle-timeout instead of
    /// --request-timeout
    #[arg(long)]
    pub stream: bool,

    /// Timeout for connecting, in seconds
    #[arg(long, default_value_t = Seconds::of(10), value_name = "SECONDS")]
    pub connect_timeout: Seconds,

    /// Seconds to wait for the next part of a response, or for the first part of a streamed
    /// response
    #[arg(long, default_value_t = Seconds::of(300), value_name = "SECONDS")]
    pub idle_timeout: Seconds,

    /// Timeout of one request in seconds, from its first byte to the last byte of its response
    #[arg(long, default_value_t = Seconds::of(600), value_name = "SECONDS")]
    pub request_timeout: Seconds,
}

/// Settings that control how models sample responses.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Model")]
pub struct SamplingArgs {
    /// Sampling temperature, at least 0 [default: the server's]
    #[arg(long, value_parser = decimal(0.0..=100.0), value_name = "T")]
    pub temperature: Option<f64>,

    /// Seed of the model's sampling, if its server supports one; --seed is the seed of generated
    /// samples [default: none]
    #[arg(long, value_parser = whole::<u64>(0..=u64::MAX), value_name = "N")]
    pub model_seed: Option<u64>,

    /// Maximum output tokens of one response, including reasoning [default: the server's; for
    /// anthropic 8192, or 64000 for the efforts xhigh and max, plus --reasoning-tokens]
    #[arg(long, value_parser = whole::<u32>(1..=100_000_000), value_name = "N")]
    pub max_output_tokens: Option<u32>,

    /// Stop sequence, at which a response ends; repeatable
    #[arg(long, value_parser = NonEmptyStringValueParser::new(), value_name = "TEXT")]
    pub stop: Vec<String>,

    /// Reasoning effort of the model [default: the server's]
    #[arg(long, value_name = "EFFORT", value_parser = one_of::<Effort>(Effort::ALL.map(Effort::as_str)))]
    pub effort: Option<Effort>,

    /// Maximum reasoning tokens, for servers that accept a number (anthropic, openrouter) [default:
    /// none]
    #[arg(long, value_parser = whole::<u32>(1..=100_000_000), value_name = "N")]
    pub reasoning_tokens: Option<u32>,

    /// Extra field of every request body: JSON if the value parses as JSON, otherwise text; takes
    /// precedence over other flags; repeatable
    #[arg(long, value_name = "KEY=VALUE")]
    pub model_args: Vec<String>,

    /// Stream responses, and stop each one after the last code block that will be run; token counts
    /// are then estimated, because the server does not report them
    #[arg(long)]
    pub stop_early: bool,
}

impl SamplingArgs {
    /// Returns the first sampling flag that is set, with its dashes.
    pub fn first_given(&self) -> Option<String> {
        let is_given = |value: &Value| match value {
            Value::Array(texts) => texts.iter().any(|text| text.as_str() != Some("")),
            value => !matches!(value, Value::Null | Value::Bool(false)),
        };
        let mut values = fields(self).into_iter();
        let (key, _) = values.find(|(_, value)| is_given(value))?;
        Some(format!("--{}", key.replace('_', "-")))
    }
}

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
        let last = config.pointer("/engine/base_urls")?.as_object()?;
        let now = self.base_urls();
        let moved = |(prefix, url): (&String, &Value)| {
            let url = url.as_str()?;
            let now = now.get(prefix.as_str())?;
            (url.trim_end_matches('/') != *now).then(|| url.to_owned())
        };
        let moved: Vec<String> = last.iter().filter_map(moved).collect();
        (!moved.is_empty()).then(|| moved.join(", "))
    }
}

/// Resolves the flags. `references` are the models, each with the flag that names it, such as
/// `--model`. The first is the main model.
///
/// # Errors
/// A [`SettingsError`] for a value that is invalid or not supported by a model's API, or for a
/// missing key.
pub(super) fn resolve<'a, Flag: fmt::Display>(
    args: &ModelArgs,
    references: impl Iterator<Item = (Flag, &'a ModelRef)> + Clone,
    code_via_tool: bool,
    max_blocks: u32,
    keys: Keys,
) -> Result<ModelSettings, SettingsError> {
    let given = &args.sampling;
    let mut on_servers = references
        .clone()
        .filter_map(|(_, model)| model.on_server());
    let key_variable = on_servers
        .next()
        .and_then(|(endpoint, _)| endpoint.key.as_deref());
    let sampling = Sampling {
        temperature: given.temperature,
        seed: given.model_seed,
        max_tokens: given.max_output_tokens,
        stop: given.stop.clone(),
        effort: given.effort,
        reasoning_tokens: given.reasoning_tokens,
        code_via_tool,
        stop_after_blocks: given.stop_early.then_some(max_blocks),
        extra: extra(&given.model_args, key_variable)?,
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
    let main = references.clone().next();
    let main = main.and_then(|(_, reference)| reference.on_server());
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
    for (flag, reference) in references {
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
            server(
                endpoint,
                given,
                headers,
                (&flag.to_string(), reference.as_str()),
                keys,
            )?,
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
