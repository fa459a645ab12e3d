//! Permissions: flags that let a run access the machine or the network.
//!
//! Invariant: permissions come only from the command line of this start or from the environment of
//! this process. Their types are not serializable, and [`super::recorded_flags`] skips their names,
//! so no run folder, sweep file or queued run can grant them.

use std::sync::LazyLock;

use clap::Args;
use serde::Deserialize;

use super::flags::PERMISSIONS;
use super::flags::{Ids, ids, union};
use super::mcp_server::{McpServer, McpServerArgs};
use super::values::one_of;
use crate::process::invocation::quoted;

/// Permissions of all commands that run agents.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = PERMISSIONS)]
pub struct PowerArgs {
    /// Where cells run.
    #[command(flatten)]
    pub isolation: IsolationArgs,

    /// Show third-party pages and apps in a Chromium without its own sandbox if that sandbox is not
    /// available; only for pages that you trust
    #[arg(long)]
    pub trust_pages: bool,

    /// Let rows and their pages reach addresses of this machine and of private networks, in
    /// addition to the servers that the program starts for them
    #[arg(long)]
    pub allow_local: bool,

    /// Environment variables for tools.
    #[command(flatten)]
    pub variables: VariableArgs,

    /// MCP servers whose tools agents may call.
    #[command(flatten)]
    pub mcp: McpServerArgs,
}

/// Environment variables for tools.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = PERMISSIONS)]
pub struct VariableArgs {
    /// Environment variable for tools, as NAME=VALUE, or just NAME to forward its current value;
    /// repeatable. Tools get no other environment variables
    #[arg(
        long = "env",
        value_name = "NAME[=VALUE]",
        value_delimiter = '\n',
        hide_env_values = true
    )]
    pub values: Vec<String>,
}

/// Permissions of a run over a benchmark.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = PERMISSIONS)]
pub struct RunPowerArgs {
    /// Run the server programs that rows of your own benchmark name in `command`
    #[arg(long)]
    pub allow_commands: bool,
}

/// Isolation of cells.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = PERMISSIONS)]
pub struct IsolationArgs {
    /// Where cells run: in worker processes without access to files, the network or other processes
    /// (process); the same, but do not run if the kernel cannot confine the workers fully (strict);
    /// or on threads of this process (thread)
    #[arg(
        long = "isolation",
        default_value = "process",
        value_name = "WHERE",
        value_parser = one_of::<IsolationKind>(["process", "strict", "thread"])
    )]
    pub kind: IsolationKind,
}

/// Where cells run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IsolationKind {
    /// In worker processes.
    #[default]
    Process,
    /// In worker processes that the kernel must be able to confine fully.
    Strict,
    /// On threads of this process.
    Thread,
}

impl PowerArgs {
    /// Returns the flags that grant the same permissions to another start. Values of variables may
    /// be secrets, so only their names are returned: a bare name forwards the variable of the
    /// process.
    pub fn words(&self) -> Vec<String> {
        let Self {
            isolation: IsolationArgs { kind },
            trust_pages,
            allow_local,
            variables: VariableArgs { values },
            mcp: McpServerArgs { mcp_servers },
        } = self;
        let isolation = match kind {
            IsolationKind::Process => None,
            IsolationKind::Strict => Some("--isolation strict".to_owned()),
            IsolationKind::Thread => Some("--isolation thread".to_owned()),
        };
        let pages = trust_pages.then(|| "--trust-pages".to_owned());
        let local = allow_local.then(|| "--allow-local".to_owned());
        let names = values.iter().map(|value| {
            let (name, _) = value.split_once('=').unwrap_or((value, ""));
            format!("--env {}", quoted(name))
        });
        let switches = isolation.into_iter().chain(pages).chain(local);
        let servers = mcp_servers.iter().map(McpServer::word);
        switches.chain(names).chain(servers).collect()
    }
}

impl RunPowerArgs {
    /// Returns the flags that grant the same permissions to another start.
    pub fn words(&self) -> Vec<String> {
        let Self { allow_commands } = self;
        let commands = allow_commands.then(|| "--allow-commands".to_owned());
        commands.into_iter().collect()
    }
}

/// Returns the ids of the permissions, which must be granted at every start.
pub(super) fn permissions() -> &'static Ids {
    static PERMISSIONS: LazyLock<Ids> =
        LazyLock::new(|| union([ids::<PowerArgs>(), ids::<RunPowerArgs>()]));
    &PERMISSIONS
}

/// Whether the flag with this id is a permission.
pub(crate) fn is_permission(id: &str) -> bool {
    permissions().contains(id)
}
