//! Flags of `rlm-eval view`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

/// The flags of `rlm-eval view`.
#[derive(Debug, Clone, Args)]
#[command(after_help = DETAILS)]
pub struct ViewArgs {
    /// A folder of run directories, or one run directory
    #[arg(default_value = "results", value_name = "DIR")]
    pub dir: PathBuf,

    /// Port to serve at, on 127.0.0.1; 0 for any that is free
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub port: u16,

    /// Do not open a browser
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub no_open: bool,

    /// Write one self-contained page instead of serving; DIR is then one run directory
    #[arg(long, value_name = "FILE.html", conflicts_with = "port")]
    pub export: Option<PathBuf>,

    /// Export this sample alone [default: the whole run]
    #[arg(long, value_name = "ID", requires = "export")]
    pub sample: Option<String>,

    /// Export this attempt at the sample [default: 1]
    #[arg(long, value_name = "N", requires = "sample")]
    pub attempt: Option<u32>,
}

const DETAILS: &str = "\
Prints its address on stdout and serves until Ctrl-C, to this machine alone. Runs are read as they \
are, also while they are being written, and never changed.

Examples:
  rlm-eval view
  rlm-eval view results/s-niah-solver-20261121-092406-5f3a
  rlm-eval view RUN --export page.html --sample s-niah-8k-1";
