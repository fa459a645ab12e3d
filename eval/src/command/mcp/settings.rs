//! Flags and settings of `rlm-eval mcp`.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use harness::Protocol;
use serde_json::json;
use serve::Clients;

use crate::command::serve::{LoadArgs, ServedArgs, ServedSettings, clients};
use crate::providers::ModelRef;
use crate::settings::flags::NotFromFile;
use crate::settings::{EngineArgs, Resolved, SettingsError, recorded_flags};

const MAX_CONCURRENCY: &str = "Maximum concurrent agents, each with its children; also the maximum \
    concurrent model calls of `llm_map`";
const MAX_REQUEST_SIZE: &str =
    "Maximum size of a message in MB (10^6 bytes); longer texts must be passed as files";

/// The flags of `rlm-eval mcp`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = DETAILS,
    allow_negative_numbers = true,
    mut_arg("max_concurrency", |flag| flag.default_value("8").help(MAX_CONCURRENCY)),
    mut_arg("max_queue", |flag| flag.default_value("100")),
    mut_arg("max_request_size", |flag| flag.default_value("16").help(MAX_REQUEST_SIZE)),
    mut_arg("client_keys", |flag| flag.requires("http"))
)]
pub struct McpArgs {
    /// Serve over streamable HTTP at this address instead of stdin and stdout: `PORT` on this
    /// machine, or `IP:PORT`. Without client keys, only loopback addresses are allowed
    #[arg(long, value_parser = address, value_name = "ADDR", help_heading = "Server", add = NotFromFile)]
    pub http: Option<SocketAddr>,

    /// Folder whose files, folders and runs clients may name; repeatable. Links that lead outside
    /// it are rejected [default: only the runs in --log-dir]
    #[arg(long, value_name = "DIR", help_heading = "Server", add = NotFromFile)]
    pub root: Vec<PathBuf>,

    /// Load and clients.
    #[command(flatten)]
    pub load: LoadArgs,

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

/// Resolved settings of an MCP server.
#[derive(Debug)]
pub struct McpSettings {
    /// HTTP address and clients; `None` to serve on stdin and stdout.
    pub http: Option<(SocketAddr, Clients)>,
    /// Canonical paths of the folders in which clients may name files.
    pub roots: Vec<PathBuf>,
    /// Limits of the load.
    pub load: LoadArgs,
    /// Names of the agents that the tool `rlm` offers; the first is the default.
    pub agents: Vec<String>,
    /// Models that the tool `llm_map` offers, each with the name of its agent; the first is the
    /// default.
    pub models: Vec<(ModelRef, String)>,
    /// Settings of the agents behind both tools.
    pub served: ServedSettings,
}

impl McpSettings {
    /// Resolves the flags.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag, agent, client or root.
    pub fn resolve(args: &McpArgs) -> Result<Resolved<Self>, SettingsError> {
        let http = match args.http {
            Some(address) => Some((address, clients(args.load.client_keys.as_deref())?)),
            None => None,
        };
        let mut roots = Vec::new();
        for root in &args.root {
            let folder = fs::canonicalize(root).ok().filter(|path| path.is_dir());
            roots.push(folder.ok_or_else(|| {
                SettingsError::new(format!("--root {}: not a folder", root.display()))
            })?);
        }
        let mut served = ServedSettings::resolve(&args.served, &args.engine)?;
        let agents = served.settings.agents.iter();
        let agents: Vec<String> = agents.map(|(name, ..)| name.clone()).collect();
        let mut models = Vec::new();
        for model in args.served.models(&args.engine)? {
            let name = format!("{}/{model}", Protocol::Direct);
            if !agents.contains(&name) {
                served.add(name.clone(), None, &single_calls(&args.engine, &model)?)?;
            }
            models.push((model, name));
        }
        served.settings.allow_concurrent(args.load.max_concurrency);
        Ok(served.map(|served| Self {
            http,
            roots,
            load: args.load.clone(),
            agents,
            models,
            served,
        }))
    }
}

impl McpSettings {
    /// Returns the folder of the run directories if clients may read them. With several clients,
    /// they may not, because each client may see only its own questions.
    pub fn readable_runs(&self) -> Option<PathBuf> {
        let several = matches!(&self.http, Some((_, clients)) if clients.are_several());
        (!several).then(|| self.served.log_dir.clone())
    }
}

/// Returns the flags of a single-call agent: the given flags for models, timeout, budgets, traffic
/// and storage, and the defaults of all other flags.
fn single_calls(engine: &EngineArgs, model: &ModelRef) -> Result<EngineArgs, SettingsError> {
    let flags = json!({"model": model, "protocol": Protocol::Direct});
    Ok(EngineArgs {
        models: engine.models.clone(),
        attempt_timeout: engine.attempt_timeout,
        budget: engine.budget.clone(),
        traffic: engine.traffic.clone(),
        store: engine.store.clone(),
        ..recorded_flags::read(&flags).map_err(SettingsError::new)?
    })
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
