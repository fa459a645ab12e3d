//! Flags of scorers that are no rule of the benchmarks: what they may use.

use clap::Args;
use serde::{Deserialize, Serialize};

use super::number::{decimal, whole};

/// What scorers may use.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Scorer")]
#[serde(default)]
pub struct ScorerArgs {
    /// The model that --scorer judge asks; the forms are those of --model
    #[arg(long, value_name = "REF")]
    pub judge_model: Option<String>,

    /// What it is told: the name of a bundled prompt, or a definition file of yours, Markdown with front matter
    /// [default: judge]
    #[arg(long, value_name = "NAME|FILE")]
    pub judge_prompt: Option<String>,

    /// Times that it is asked about one answer until it gives a verdict; without one the attempt is an error
    #[arg(
        long,
        value_parser = whole::<u32>,
        default_value_t = ASKED,
        value_name = "N"
    )]
    pub judge_attempts: u32,

    /// CPU seconds that a scorer file may take to load, and again for each answer
    #[arg(
        long,
        value_parser = decimal,
        default_value_t = TIMEOUT,
        value_name = "SECONDS"
    )]
    pub scorer_timeout: f64,

    /// Megabytes of heap that a scorer file may use
    #[arg(
        long,
        value_parser = whole::<u64>,
        default_value_t = MEMORY,
        value_name = "MB"
    )]
    pub scorer_memory_limit: u64,
}

const ASKED: u32 = 3;
const TIMEOUT: f64 = 10.0;
const MEMORY: u64 = 256;

/// For runs that were begun before there were such flags.
impl Default for ScorerArgs {
    fn default() -> Self {
        Self {
            judge_model: None,
            judge_prompt: None,
            judge_attempts: ASKED,
            scorer_timeout: TIMEOUT,
            scorer_memory_limit: MEMORY,
        }
    }
}
