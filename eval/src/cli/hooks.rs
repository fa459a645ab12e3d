//! Flags of hooks.

use clap::Args;
use serde::Serialize;

/// Hooks, which see the traffic between agents, models and tools.
#[derive(Debug, Clone, Default, Args, Serialize)]
pub struct HookArgs {
    /// Hooks of the run, in the order in which they run; an agent whose prompt definition lists
    /// hooks uses those instead
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub hooks: Vec<String>,
}
