//! Flags of `rlm-eval data`.

use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{Args, Subcommand};

use super::BenchmarkArgs;
use super::number::whole;

/// The flags of `rlm-eval data`.
#[derive(Debug, Clone, Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub struct DataArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: Data,
}

/// What can be done with data.
#[derive(Debug, Clone, Subcommand)]
pub enum Data {
    /// Download the data of benchmarks from its own home, checked against pinned checksums
    Fetch(FetchArgs),
    /// Print samples of a benchmark as an agent would get them, with what is expected
    Show(Box<ShowArgs>),
}

/// The flags of `rlm-eval data fetch`.
#[derive(Debug, Clone, Args)]
pub struct FetchArgs {
    /// Benchmarks that need data; see `rlm-eval list benchmarks`
    #[arg(required = true, value_name = "NAME")]
    pub names: Vec<String>,

    /// Folder in which the data of each benchmark gets a folder of its name [default: ~/.cache/eval/data]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,

    /// Address of a mirror, which takes the place of scheme and host of every download [default: none]
    #[arg(long, value_name = "URL")]
    pub mirror: Option<String>,
}

/// The flags of `rlm-eval data show`.
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// The benchmark, as `rlm-eval run --benchmark` takes it
    #[arg(value_name = "NAME")]
    pub benchmark: String,

    /// What it is opened with.
    #[command(flatten)]
    pub options: BenchmarkArgs,

    /// Samples to print, the first ones
    #[arg(
        long,
        value_parser = whole::<usize>(1..=1_000_000),
        default_value_t = 3,
        value_name = "N"
    )]
    pub limit: usize,

    /// Print whole samples as a JSON array, where the text shows the first 500 characters of a context
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub json: bool,
}
