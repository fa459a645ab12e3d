//! Flags and settings of `rlm-eval serve`.

mod served;
mod clients;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serve::{Clients, DEFAULT_LONG_TEXT};

use crate::settings::flags::NotFromFile;
use crate::settings::values::{Seconds, whole};
use crate::settings::{EngineArgs, Resolved, SettingsError};

pub(in crate::command) use clients::clients;
pub(in crate::command) use served::{ServedArgs, ServedSettings};

/// The flags of `rlm-eval serve`.
#[derive(Debug, Clone, Args)]
#[command(after_help = DETAILS, allow_negative_numbers = true)]
pub struct ServeArgs {
    /// Address to listen on; without client keys, only loopback addresses are allowed
    #[arg(
        long,
        default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST),
        value_name = "IP",
        help_heading = "Server",
        add = NotFromFile
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
    #[arg(long, value_name = "FILE", help_heading = "Server", add = NotFromFile)]
    pub client_keys: Option<PathBuf>,

    /// Agents to serve.
    #[command(flatten)]
    pub served: ServedArgs,

    /// Settings of the agents.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Resolved settings of a server.
#[derive(Debug)]
pub struct ServeSettings {
    /// Address to listen on.
    pub address: SocketAddr,
    /// Clients that may use the server.
    pub clients: Clients,
    /// Maximum concurrent agents.
    pub max_concurrency: usize,
    /// Maximum waiting requests.
    pub max_queue: usize,
    /// Maximum bytes of a request.
    pub max_request_bytes: usize,
    /// Maximum characters of each part of the query; longer parts move to the agent's context.
    pub long_text: usize,
    /// Time for requests to finish at shutdown.
    pub shutdown_timeout: Duration,
    /// Agents to serve.
    pub served: ServedSettings,
}

impl ServeSettings {
    /// Resolves the flags.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag, agent or client.
    pub fn resolve(args: &ServeArgs) -> Result<Resolved<Self>, SettingsError> {
        let clients = clients(args.client_keys.as_deref())?;
        let mut served = ServedSettings::resolve(&args.served, &args.engine)?;
        served.settings.allow_concurrent(args.max_concurrency);
        Ok(served.map(|served| Self {
            address: SocketAddr::new(args.host, args.port),
            clients,
            max_concurrency: args.max_concurrency,
            max_queue: args.max_queue,
            max_request_bytes: args.max_request_size * 1_000_000,
            long_text: args.long_text,
            shutdown_timeout: *args.shutdown_timeout,
            served,
        }))
    }
}

const DETAILS: &str = "\
Prints the base URL for clients on stdout and serves until Ctrl-C. `rlm/MODEL` and \
`rlm-coordinator/MODEL` are the names that clients use as `model`; `--max-cost` and the other run budgets \
apply to the server as a whole.

Examples:
  rlm-eval serve --model openai/gpt-5-mini
  rlm-eval serve --model anthropic/claude-sonnet-4-5 --port 8080 --max-cost 20
  rlm-eval serve --model openai/gpt-5-mini --host 0.0.0.0 --client-keys clients.yaml";
