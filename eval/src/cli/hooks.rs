//! Flags of hooks.

use clap::Args;
use serde::{Deserialize, Serialize};

/// Which hooks see what passes between agents, models and tools.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub struct HookArgs {
    /// Hooks of the run, in the order in which they run; an agent whose prompt lists hooks has those instead
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    #[serde(default)]
    pub hooks: Vec<String>,
}
