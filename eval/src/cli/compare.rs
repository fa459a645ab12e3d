//! Flags of `rlm-eval compare`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

/// The flags of `rlm-eval compare`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompareArgs {
    /// Run directories or CSV files, two or more: each later one is measured by the first
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    pub runs: Vec<PathBuf>,

    /// Measure every run by every earlier one, not by the first alone
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub all_pairs: bool,

    /// Compare runs of which the benchmark, the dataset or the scorer differ
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub allow_mismatch: bool,

    /// Also write the comparisons to this CSV file, which replaces what is there
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Print the comparison as JSON, each sample's scores included, instead of tables
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub json: bool,
}

const EXAMPLES: &str = "\
Runs are paired by sample; a sample of several attempts counts by its mean. Shown are the \
difference with its 95 % interval and clustered standard error, McNemar's exact test where every \
sample is right or wrong, a t test, wins, losses and ties, and the least difference that such runs \
find 4 times out of 5. What differs between the runs comes first. Over several comparisons, p \
values are corrected by Holm's method; from three runs on, the best three of the later ones are \
also compared with each other, corrected over all pairs of these. All of it once with errors \
excluded, and once with errors as zero. See docs/STATISTICS.md.

A CSV file has a header and a row for each attempt: columns id (or sample) and score (0 to 1; \
empty for none), and if known attempt, cluster, status, dataset_digest, scorer. results.csv is one.

Exit code 4: no two of the runs have a scored sample in common.

Examples:
  rlm-eval compare results/s-niah-solver-* results/s-niah-coordinator-*
  rlm-eval compare baseline.csv results/s-niah-solver-20261121-092406-5f3a --csv compared.csv
  rlm-eval compare a.csv b.csv c.csv --all-pairs --json > compared.json";
