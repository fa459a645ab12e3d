//! Flags of `rlm-eval report`.

use std::path::PathBuf;

use crate::settings::flags::NotFromFile;
use clap::Args;

/// The flags of `rlm-eval report`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArgs {
    /// Run directories, sweep folders, or folders that contain any of these at any depth
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,

    /// File for the self-contained HTML page with plots; an existing file is replaced [default:
    /// report.html in the first DIR, or report-NAME.html with --scores NAME; none with --json]
    #[arg(long, value_name = "FILE", add = NotFromFile)]
    pub html: Option<PathBuf>,

    /// Use the scores that `rlm-eval score --scorer NAME` computed, instead of those of the run;
    /// NAME with or without version
    #[arg(long, value_name = "NAME")]
    pub scores: Option<String>,

    /// Print a JSON object instead of tables: the differences between the runs, the runs with their
    /// summaries, and the comparisons of sweeps
    #[arg(long)]
    pub json: bool,
}

const EXAMPLES: &str = "\
Prints the differences in settings between the runs first, then their scores, behavior and cost, and \
for a sweep the comparisons of its cells. See docs/concepts/statistics.md.

Examples:
  rlm-eval report results/s-niah-solver-20261121-092406-5f3a
  rlm-eval report results/sweep --json
  rlm-eval report results --html report.html
  rlm-eval report results/sweep --scores judge";
