//! Flags of model calls: servers, sampling and timeouts.

use clap::builder::{BoolishValueParser, NonEmptyStringValueParser};
use clap::{Args, Command};
use harness::provider::Effort;
use serde::Serialize;
use serde_json::{Value, json};

use super::Granted;
use super::values::{Seconds, decimal, one_of, whole};

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
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,

    /// Stream responses, so that a stalled server is detected after --idle-timeout instead of
    /// --request-timeout
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub stream: bool,

    /// Timeout for connecting, in seconds
    #[arg(
        long,
        default_value_t = Seconds::of(10),
        value_name = "SECONDS"
    )]
    pub connect_timeout: Seconds,

    /// Seconds to wait for the next part of a response, or for the first part of a streamed
    /// response
    #[arg(
        long,
        default_value_t = Seconds::of(300),
        value_name = "SECONDS"
    )]
    pub idle_timeout: Seconds,

    /// Timeout of one request in seconds, from its first byte to the last byte of its response
    #[arg(
        long,
        default_value_t = Seconds::of(600),
        value_name = "SECONDS"
    )]
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
    #[arg(
        long,
        value_parser = NonEmptyStringValueParser::new(),
        value_name = "TEXT"
    )]
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
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub stop_early: bool,
}

impl SamplingArgs {
    /// Returns the first sampling flag that is set, with its dashes.
    pub fn first_given(&self) -> Option<String> {
        let values = json!(self);
        let command = Self::augment_args(Command::new("sampling"));
        let is_given = |value: &Value| match value {
            Value::Array(texts) => texts.iter().any(|text| text.as_str() != Some("")),
            value => !matches!(value, Value::Null | Value::Bool(false)),
        };
        let mut arguments = command.get_arguments();
        let first = arguments.find(|argument| is_given(&values[argument.get_id().as_str()]))?;
        Some(format!("--{}", first.get_long()?))
    }
}
