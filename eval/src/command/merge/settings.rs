//! Flags of `rlm-eval merge`.

use std::path::PathBuf;

use clap::Args;

use crate::run::merge::Preference;
use crate::settings::flags::NotFromFile;
use crate::settings::values::decimal;

/// The flags of `rlm-eval merge`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct MergeArgs {
    /// Folder for the merged run, which must not exist yet
    #[arg(value_name = "OUT")]
    pub out: PathBuf,

    /// Run directories of the shards; files that a glob also matches are skipped
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,

    /// Record to keep if runs contain different records of one attempt: the record of the try that
    /// started last (newest); or the record with a score, or else the record of the run with more
    /// attempts (complete). The total cost includes the other record [default: different records
    /// are an error]
    #[arg(long, value_name = "WHICH")]
    pub prefer: Option<Preference>,

    /// Merge runs made by different versions of the program; each attempt records its version
    #[arg(long, add = NotFromFile)]
    pub allow_program_change: bool,

    /// Exit with code 100 if the mean score (0 to 1) is below this value [default: no gate]
    #[arg(long, value_parser = decimal(0.0..=1.0), value_name = "SCORE")]
    pub min_score: Option<f64>,
}

const EXAMPLES: &str = "\
Rejects runs of different experiments or of different versions of the program, and different \
records of the same attempt unless --prefer chooses one; identical copies count once. The runs \
themselves are not changed.

Examples:
  rlm-eval run --benchmark s-niah --model scripted --partition 1/2 --log-dir shards
  rlm-eval run --benchmark s-niah --model scripted --partition 2/2 --log-dir shards
  rlm-eval merge results/whole shards/*
  rlm-eval merge results/whole shards/* --prefer newest
  rlm-eval merge results/whole shards/* --min-score 0.5";
