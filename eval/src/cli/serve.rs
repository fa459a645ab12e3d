//! Flags of `rlm-eval serve`, and those shared with other commands that serve agents.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serve::DEFAULT_LONG_TEXT;

use super::EngineArgs;
use super::values::{Seconds, whole};
use crate::providers::ModelRef;

/// The flags of `rlm-eval serve`.
#[derive(Debug, Clone, Args)]
#[command(after_help = DETAILS, allow_negative_numbers = true)]
pub struct ServeArgs {
    /// Address to listen on; without client keys, only loopback addresses are allowed
    #[arg(
        long,
        default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST),
        value_name = "IP",
        help_heading = "Server"
    )]
    pub host: IpAddr,

    /// Port to listen on; 0 for any free port
    #[arg(
        long,
        default_value_t = 8000,
        value_name = "N",
        help_heading = "Server"
    )]
    pub port: u16,

    /// Maximum concurrent agents, each with its children; further requests wait
    #[arg(
        long,
        default_value_t = 64,
        value_parser = whole::<usize>(1..=100_000),
        value_name = "N",
        help_heading = "Server"
    )]
    pub max_concurrency: usize,

    /// Maximum waiting requests; further requests are rejected with status 429
    #[arg(
        long,
        default_value_t = 1_000,
        value_parser = whole::<usize>(0..=1_000_000),
        value_name = "N",
        help_heading = "Server"
    )]
    pub max_queue: usize,

    /// Maximum size of a request in MB (10^6 bytes)
    #[arg(
        long,
        default_value_t = 64,
        value_parser = whole::<usize>(1..=1_000),
        value_name = "MB",
        help_heading = "Server"
    )]
    pub max_request_size: usize,

    /// Maximum characters of a message, of instructions and of the earlier conversation in the
    /// query; longer texts move to the agent's `context`
    #[arg(
        long,
        default_value_t = DEFAULT_LONG_TEXT,
        value_parser = whole::<usize>(100..=100_000_000),
        value_name = "N",
        help_heading = "Server"
    )]
    pub long_text: usize,

    /// Seconds that requests in progress may continue after the first Ctrl-C or SIGTERM; a second
    /// signal stops them
    #[arg(
        long,
        default_value_t = Seconds::of(60),
        value_name = "SECONDS",
        help_heading = "Server"
    )]
    pub shutdown_timeout: Seconds,

    /// YAML file of the clients' keys and limits, see docs/guides/serve.md [default: the key in
    /// `EVAL_CLIENT_KEY`, or none]
    #[arg(long, value_name = "FILE", help_heading = "Server")]
    pub client_keys: Option<PathBuf>,

    /// Agents to serve.
    #[command(flatten)]
    pub served: ServedArgs,

    /// Settings of the agents.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Agents that clients can call, and the folder of their trajectories.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Server")]
pub struct ServedArgs {
    /// Further model to serve besides --model, with the same settings; repeatable
    #[arg(long, value_name = "REF")]
    pub also_model: Vec<ModelRef>,

    /// YAML file of agents with their own names and flags, see docs/guides/serve.md [default: none]
    #[arg(long, value_name = "FILE")]
    pub agents: Option<PathBuf>,

    /// Number of sandboxes kept ready for each name, so that this many concurrent requests start
    /// without waiting. Each sandbox needs a few MB of memory; if attempts share workers, no
    /// sandboxes are kept ready
    #[arg(long, default_value_t = 2, value_parser = whole::<usize>(0..=10_000), value_name = "N")]
    pub ready: usize,

    /// Folder for the run directories with the trajectories of requests. Each name that clients use
    /// gets its own run directory
    #[arg(long, default_value = "results", value_name = "DIR")]
    pub log_dir: PathBuf,
}

const DETAILS: &str = "\
Prints the base URL for clients on stdout and serves until Ctrl-C. `rlm/MODEL` and \
`rlm-coordinator/MODEL` are the names that clients use as `model`; `--max-cost` and the other run budgets \
apply to the server as a whole.

Examples:
  rlm-eval serve --model openai/gpt-5-mini
  rlm-eval serve --model anthropic/claude-sonnet-4-5 --port 8080 --max-cost 20
  rlm-eval serve --model openai/gpt-5-mini --host 0.0.0.0 --client-keys clients.yaml";
