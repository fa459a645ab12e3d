//! Flags of scorers that are no rule of the benchmarks: what they may use.

use clap::Args;
use serde::{Deserialize, Serialize};

use super::number::{decimal, whole};
use crate::env_vars;

/// What scorers may use.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Scorer")]
#[serde(default)]
pub struct ScorerArgs {
    /// CPU seconds that a scorer file may take to load, and again for each answer
    #[arg(
        long,
        value_parser = decimal,
        default_value_t = TIMEOUT,
        value_name = "SECONDS",
        env = env_vars::SCORER_TIMEOUT
    )]
    pub scorer_timeout: f64,

    /// Megabytes of heap that a scorer file may use
    #[arg(
        long,
        value_parser = whole::<u64>,
        default_value_t = MEMORY,
        value_name = "MB",
        env = env_vars::SCORER_MEMORY_LIMIT
    )]
    pub scorer_memory_limit: u64,
}

const TIMEOUT: f64 = 10.0;
const MEMORY: u64 = 256;

/// For runs that were begun before there were such flags.
impl Default for ScorerArgs {
    fn default() -> Self {
        Self {
            scorer_timeout: TIMEOUT,
            scorer_memory_limit: MEMORY,
        }
    }
}
