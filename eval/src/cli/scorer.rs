//! Flags of scorers that are no rule of the benchmarks: what they may use.

use clap::Args;
use serde::Serialize;

use super::number::{Seconds, whole};
use crate::grader::JUDGE_ATTEMPTS;
use crate::providers::ModelRef;

/// What scorers may use.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Scorer")]
pub struct ScorerArgs {
    /// The model that --scorer judge asks; the forms are those of --model
    #[arg(long, value_name = "REF")]
    pub judge_model: Option<ModelRef>,

    /// What it is told: the name of a bundled prompt, or a definition file of yours, Markdown with front matter
    /// [default: judge]
    #[arg(long, value_name = "NAME|FILE")]
    pub judge_prompt: Option<String>,

    /// Times that it is asked about one answer until it gives a verdict; without one the attempt is an error
    #[arg(
        long,
        value_parser = whole::<u32>(1..=20),
        default_value_t = JUDGE_ATTEMPTS,
        value_name = "N"
    )]
    pub judge_attempts: u32,

    /// CPU seconds that a scorer file may take to load, and again for each answer
    #[arg(
        long,
        default_value_t = Seconds::of(10),
        value_name = "SECONDS"
    )]
    pub scorer_timeout: Seconds,

    /// Megabytes of heap that a scorer file may use
    #[arg(
        long,
        value_parser = whole::<u64>(16..=1_000_000),
        default_value_t = 256,
        value_name = "MB"
    )]
    pub scorer_memory_limit: u64,
}
