//! Flags of `rlm-eval compare`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

/// The flags of `rlm-eval compare`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompareArgs {
    /// Run directories or CSV files, two or more; each run is compared with the first. Other files
    /// that a glob matches (report.html, sweep.json) are skipped
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    pub runs: Vec<PathBuf>,

    /// Compare every pair of runs, instead of each run with the first
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub all_pairs: bool,

    /// Compare runs even if their benchmark, dataset or scorer differ
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub allow_mismatch: bool,

    /// Use the scores that `rlm-eval score --scorer NAME` computed, instead of those of the run;
    /// NAME with or without version
    #[arg(long, value_name = "NAME")]
    pub scores: Option<String>,

    /// Also write the comparisons to this CSV file; an existing file is replaced
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Print the comparison as JSON, with the scores of each sample, instead of tables
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub json: bool,
}

const EXAMPLES: &str = "\
Prints the differences in settings between the runs first. Runs are paired by sample; a sample with \
several attempts counts with its mean. For each pair of runs: the difference with its 95 % interval and \
clustered standard error, the p value of the corresponding test (Tango's score test if \
every sample is right or wrong, otherwise a t test), wins, losses and ties, and the smallest difference that runs of this size detect with a power of 80 %. If there are \
several comparisons, p values are corrected by Holm's method. With three or more runs, the best three \
of the later ones are also compared with each other, corrected over all their pairs. If attempts \
ended in an error, everything is shown twice: with errors excluded, and with errors as zero. See docs/concepts/statistics.md.

A CSV file such as results.csv has a header and a row for each attempt: columns id (or sample) and score \
(0 to 1; empty for none), and optionally attempt, cluster, status, dataset_digest and scorer.

Exit code 4: no two runs have a scored sample in common.

Examples:
  rlm-eval compare results/s-niah-solver-* results/s-niah-coordinator-*
  rlm-eval compare baseline.csv results/s-niah-solver-20261121-092406-5f3a --csv compared.csv
  rlm-eval compare results/s-niah-solver-* results/s-niah-coordinator-* --scores exact
  rlm-eval compare a.csv b.csv c.csv --all-pairs --json > compared.json";
