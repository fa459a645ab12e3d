//! Flags of hooks.

use clap::Args;
use serde::Serialize;

/// Hooks, which see the traffic between agents, models and tools.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Tools")]
pub struct HookArgs {
    /// Hooks of the run, in the order in which they run; an agent whose prompt definition lists
    /// hooks uses only the listed ones
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub hooks: Vec<String>,
}
