//! Flags of `eval score`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

use super::ScorerArgs;
use crate::env_vars;

/// The flags of `eval score`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct ScoreArgs {
    /// Run directory
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    /// The scorer: a name of `eval list scorers`, with or without its version (exact, needle/1), or a JavaScript file
    #[arg(long, value_name = "NAME|FILE", env = env_vars::SCORER)]
    pub scorer: String,

    /// What it may use.
    #[command(flatten)]
    pub scoring: ScorerArgs,

    /// Print the new summary as JSON instead of a table beside the old one
    #[arg(long, value_parser = BoolishValueParser::new(), env = env_vars::JSON)]
    pub json: bool,
}

const EXAMPLES: &str = "\
No agent runs. The scores go to DIR/scores/SCORER.jsonl, a line for each attempt; what the run \
has recorded stays as it is.

Examples:
  cargo eval score results/s-niah-solver-20261121-092406-5f3a --scorer exact";
