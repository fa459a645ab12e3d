//! Flags of `rlm-eval merge`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

/// The flags of `rlm-eval merge`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct MergeArgs {
    /// Folder for the merged run, which must not exist yet
    #[arg(value_name = "OUT")]
    pub out: PathBuf,

    /// Run directories of the shards
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,

    /// Merge runs that different versions of the program made; each attempt records its version
    #[arg(
        long,
        value_parser = BoolishValueParser::new()
    )]
    pub allow_program_change: bool,
}

const EXAMPLES: &str = "\
Runs of different experiments or of different versions of the program are refused, and so are different records of \
the same attempt; identical copies count once. The runs themselves are not changed.

Examples:
  rlm-eval run --benchmark s-niah --model scripted --partition 1/2 --log-dir shards
  rlm-eval run --benchmark s-niah --model scripted --partition 2/2 --log-dir shards
  rlm-eval merge results/whole shards/*";
