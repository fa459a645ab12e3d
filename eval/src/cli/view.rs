//! Flags of `rlm-eval view`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

use super::Granted;

/// The flags of `rlm-eval view`.
#[derive(Debug, Clone, Args)]
#[command(after_help = DETAILS)]
pub struct ViewArgs {
    /// A folder of run directories, or one run directory
    #[arg(default_value = "results", value_name = "DIR")]
    pub dir: PathBuf,

    /// Use the scores that `rlm-eval score --scorer NAME` computed, instead of those of the run;
    /// NAME with or without version
    #[arg(long, value_name = "NAME")]
    pub scores: Option<String>,

    /// Port on 127.0.0.1; 0 for any free port
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub port: u16,

    /// Host name, with or without a port, by which browsers reach the viewer through a forwarded
    /// port, such as localhost:8080; repeatable
    #[arg(long, value_name = "HOST", conflicts_with = "export")]
    pub allow_host: Vec<Granted<String>>,

    /// Do not open a browser
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub no_open: bool,

    /// Write one self-contained page instead of starting a server; DIR must be one run directory
    #[arg(long, value_name = "FILE.html", conflicts_with = "port")]
    pub export: Option<PathBuf>,

    /// Export only this sample [default: the whole run]
    #[arg(long, value_name = "ID", requires = "export")]
    pub sample: Option<String>,

    /// Export only this attempt of the sample [default: 1]
    #[arg(long, value_name = "N", requires = "sample")]
    pub attempt: Option<u32>,
}

const DETAILS: &str = "\
Prints the viewer's address on stdout and serves until Ctrl-C, on this machine only. Runs may \
still be in progress; they are read and never changed.

Examples:
  rlm-eval view
  rlm-eval view results/s-niah-solver-20261121-092406-5f3a
  rlm-eval view RUN --export page.html --sample s-niah-8k-1";
