//! Flags of scorers outside the benchmarks, including their limits.

use clap::Args;
use serde::Serialize;

use super::number::{Seconds, whole};
use crate::grader::JUDGE_ATTEMPTS;
use crate::providers::ModelRef;

/// Settings of scorers outside the benchmarks.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Scorer")]
pub struct ScorerArgs {
    /// Model for --scorer judge, in the same forms as --model
    #[arg(long, value_name = "REF")]
    pub judge_model: Option<ModelRef>,

    /// Prompt of the judge: the name of a bundled prompt, or your own definition file, Markdown
    /// with front matter [default: judge]
    #[arg(long, value_name = "NAME|FILE")]
    pub judge_prompt: Option<String>,

    /// Maximum calls of the judge for one answer; if no call returns a verdict, the attempt ends in
    /// an error
    #[arg(
        long,
        value_parser = whole::<u32>(1..=20),
        default_value_t = JUDGE_ATTEMPTS,
        value_name = "N"
    )]
    pub judge_attempts: u32,

    /// CPU time limit of a scorer file in seconds, for loading and for each answer
    #[arg(
        long,
        default_value_t = Seconds::of(10),
        value_name = "SECONDS"
    )]
    pub scorer_timeout: Seconds,

    /// Maximum heap of a scorer file in megabytes
    #[arg(
        long,
        value_parser = whole::<u64>(16..=1_000_000),
        default_value_t = 256,
        value_name = "MB"
    )]
    pub scorer_memory_limit: u64,
}
