//! Flags of `rlm-eval mcp`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;

use super::values::{Seconds, whole};
use super::{EngineArgs, ServedArgs};

/// The flags of `rlm-eval mcp`.
#[derive(Debug, Clone, Args)]
#[command(after_help = DETAILS, allow_negative_numbers = true)]
pub struct McpArgs {
    /// Serve over streamable HTTP at this address instead of stdin and stdout: `PORT` on this
    /// machine, or `IP:PORT`. Without client keys, only loopback addresses are allowed
    #[arg(long, value_parser = address, value_name = "ADDR", help_heading = "Server")]
    pub http: Option<SocketAddr>,

    /// Folder whose files, folders and runs clients may name; repeatable. Links that lead outside
    /// it are rejected [default: only the runs in --log-dir]
    #[arg(long, value_name = "DIR", help_heading = "Server")]
    pub root: Vec<PathBuf>,

    /// Maximum concurrent agents, each with its children; also the maximum concurrent model calls
    /// of `llm_map`
    #[arg(
        long,
        default_value_t = 8,
        value_parser = whole::<usize>(1..=100_000),
        value_name = "N",
        help_heading = "Server"
    )]
    pub max_concurrency: usize,

    /// Maximum tool calls that wait until an agent may start; further calls are rejected
    #[arg(
        long,
        default_value_t = 100,
        value_parser = whole::<usize>(0..=1_000_000),
        value_name = "N",
        help_heading = "Server"
    )]
    pub max_queue: usize,

    /// Maximum size of a message in MB (10^6 bytes); longer texts must be passed as files
    #[arg(
        long,
        default_value_t = 16,
        value_parser = whole::<usize>(1..=1_000),
        value_name = "MB",
        help_heading = "Server"
    )]
    pub max_request_size: usize,

    /// With --http, seconds that calls in progress may continue after the first Ctrl-C or SIGTERM;
    /// a second signal stops them
    #[arg(
        long,
        default_value_t = Seconds::of(60),
        value_name = "SECONDS",
        help_heading = "Server"
    )]
    pub shutdown_timeout: Seconds,

    /// With --http, YAML file of the clients' keys and limits, see docs/guides/serve.md [default:
    /// the key in `EVAL_CLIENT_KEY`, or none]
    #[arg(long, value_name = "FILE", requires = "http", help_heading = "Server")]
    pub client_keys: Option<PathBuf>,

    /// Agents to serve.
    #[command(flatten)]
    pub served: ServedArgs,

    /// Settings of the agents.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Parses `PORT` or `IP:PORT`.
fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    let parsed = text.replacen("localhost:", "127.0.0.1:", 1).parse();
    parsed.map_err(|_| "expected PORT or IP:PORT, such as 8000 or 127.0.0.1:8000".to_owned())
}

const DETAILS: &str = "\
Speaks the Model Context Protocol on stdin and stdout, as coding agents expect from a command in \
their settings, or over HTTP. Its tools are `rlm`, `llm_map`, `read_run` and `compare_runs`; \
`--max-cost` and the other run budgets apply to the server as a whole.

Examples:
  rlm-eval mcp --model openai/gpt-5-mini --root .
  rlm-eval mcp --model anthropic/claude-sonnet-4-5 --root docs --max-cost 20
  rlm-eval mcp --model openai/gpt-5-mini --http 8000";

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn parses_addresses() {
        for (text, expected) in [
            ("8000", Some("127.0.0.1:8000")),
            ("localhost:0", Some("127.0.0.1:0")),
            ("0.0.0.0:80", Some("0.0.0.0:80")),
            ("[::1]:80", Some("[::1]:80")),
            ("80000", None),
            ("example.com:80", None),
            ("", None),
        ] {
            let parsed = address(text).ok().map(|address| address.to_string());
            assert_eq!(parsed.as_deref(), expected, "{text}");
        }
    }
}
