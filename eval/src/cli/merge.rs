//! Flags of `rlm-eval merge`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

/// The flags of `rlm-eval merge`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct MergeArgs {
    /// Folder of the whole run, which must not exist yet
    #[arg(value_name = "OUT")]
    pub out: PathBuf,

    /// Run directories of one experiment
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,

    /// Merge runs although different programs made them; each attempt records which program made it
    #[arg(
        long,
        value_parser = BoolishValueParser::new()
    )]
    pub allow_program_change: bool,
}

const EXAMPLES: &str = "\
Runs of another experiment or of another program are refused, and so are attempts that stand in two of the runs and \
disagree; one that was copied counts once. The runs are left as they are.

Examples:
  rlm-eval run --benchmark s-niah --model scripted --partition 1/2 --log-dir shards
  rlm-eval run --benchmark s-niah --model scripted --partition 2/2 --log-dir shards
  rlm-eval merge results/whole shards/*";
