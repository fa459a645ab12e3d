//! Flags of how models are asked: where they run, how they sample, and how long they may take.

use clap::Args;
use clap::builder::{BoolishValueParser, NonEmptyStringValueParser};
use harness::provider::Effort;
use serde::Serialize;

use super::number::{Seconds, decimal, whole};
use super::word::one_of;

/// How models over HTTP are asked. Scripted and replayed models take no notice.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// Server of the main model, and of aliases with the same prefix; the prefix chooses the format: openai/,
    /// openai-responses/ or anthropic/ [default: the provider's own]
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,

    /// Sampling temperature, from 0 [default: the server's]
    #[arg(long, value_parser = decimal(0.0..=100.0), value_name = "T")]
    pub temperature: Option<f64>,

    /// Seed of the model's sampling, for servers that take one; --seed is that of generated samples
    /// [default: none]
    #[arg(long, value_parser = whole::<u64>(0..=u64::MAX), value_name = "N")]
    pub model_seed: Option<u64>,

    /// Most output tokens of one response, reasoning included [default: the server's; anthropic: 8192, and
    /// --reasoning-tokens on top]
    #[arg(long, value_parser = whole::<u32>(1..=100_000_000), value_name = "N")]
    pub max_output_tokens: Option<u32>,

    /// Text at which a response ends; may be repeated
    #[arg(
        long,
        value_parser = NonEmptyStringValueParser::new(),
        value_name = "TEXT"
    )]
    pub stop: Vec<String>,

    /// How hard the model thinks [default: the server's]
    #[arg(long, value_name = "EFFORT", value_parser = one_of::<Effort>(["minimal", "low", "medium", "high"]))]
    pub effort: Option<Effort>,

    /// Most tokens of reasoning, where the server takes a number (anthropic, openrouter) [default: none asked for]
    #[arg(long, value_parser = whole::<u32>(1..=100_000_000), value_name = "N")]
    pub reasoning_tokens: Option<u32>,

    /// A field put into every request's body as it is, JSON if it parses and text if not; wins over other flags;
    /// may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub model_args: Vec<String>,

    /// Stream responses: a server that stalls is noticed after --idle-timeout instead of --request-timeout
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub stream: bool,

    /// Stream responses, and stop each as soon as its last block that would run is closed; the server then counts no
    /// tokens, and they are estimated
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub stop_early: bool,

    /// Seconds to wait for a connection
    #[arg(
        long,
        default_value_t = Seconds::of(10),
        value_name = "SECONDS"
    )]
    pub connect_timeout: Seconds,

    /// Seconds to wait for more of a response that has begun, and for the beginning of a streamed one
    #[arg(
        long,
        default_value_t = Seconds::of(300),
        value_name = "SECONDS"
    )]
    pub idle_timeout: Seconds,

    /// Seconds that one request may take from its first byte to the last of its response
    #[arg(
        long,
        default_value_t = Seconds::of(600),
        value_name = "SECONDS"
    )]
    pub request_timeout: Seconds,
}
