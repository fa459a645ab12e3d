//! Flags of `rlm-eval report`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

/// The flags of `rlm-eval report`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportArgs {
    /// Run directories, folders of sweeps, and folders that hold some of both at any depth
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,

    /// File for the page with plots, one HTML file that needs nothing else; replaces what is there [default: report.html
    /// in the first DIR, none with --json]
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Print a JSON object instead of tables: what differs, the runs with their summaries, and the comparisons of sweeps
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub json: bool,
}

const EXAMPLES: &str = "\
What differs between the runs comes first, then their scores, behaviour and cost; of a sweep the \
comparisons of its cells, too. See docs/STATISTICS.md.

Examples:
  rlm-eval report results/s-niah-solver-20261121-092406-5f3a
  rlm-eval report results/sweep --json
  rlm-eval report results --html report.html";
