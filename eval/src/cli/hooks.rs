//! Flags of hooks.

use clap::Args;
use serde::Serialize;

/// Which hooks see what passes between agents, models and tools.
#[derive(Debug, Clone, Default, Args, Serialize)]
pub struct HookArgs {
    /// Hooks of the run, in the order in which they run; an agent whose prompt lists hooks has those instead
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub hooks: Vec<String>,
}
