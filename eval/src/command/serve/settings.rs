//! Flags and settings of `rlm-eval serve`.

mod served;
mod clients;
mod load;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use clap::Args;
use serve::{DEFAULT_LONG_TEXT, Settings};

use crate::settings::flags::NotFromFile;
use crate::settings::values::whole;
use crate::settings::{EngineArgs, Resolved, SettingsError};

pub(in crate::command) use clients::clients;
pub use load::LoadArgs;
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

    /// Load and clients.
    #[command(flatten)]
    pub load: LoadArgs,

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
    /// Settings of the HTTP server.
    pub server: Settings,
    /// Agents to serve.
    pub served: ServedSettings,
}

impl ServeSettings {
    /// Resolves the flags.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag, agent or client.
    pub fn resolve(args: &ServeArgs) -> Result<Resolved<Self>, SettingsError> {
        let clients = clients(args.load.client_keys.as_deref())?;
        let mut served = ServedSettings::resolve(&args.served, &args.engine)?;
        served.settings.allow_concurrent(args.load.max_concurrency);
        let server = Settings {
            address: SocketAddr::new(args.host, args.port),
            clients,
            max_concurrency: args.load.max_concurrency,
            max_queue: args.load.max_queue,
            max_request_bytes: args.load.max_request_bytes(),
            long_text: args.long_text,
            shutdown_timeout: *args.load.shutdown_timeout,
        };
        Ok(served.map(|served| Self { server, served }))
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
