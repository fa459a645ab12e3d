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
    /// Subcommand.
    #[command(subcommand)]
    pub what: Data,
}

/// Subcommands of `rlm-eval data`.
#[derive(Debug, Clone, Subcommand)]
pub enum Data {
    /// Download benchmark data from its source and verify the checksums
    Fetch(FetchArgs),
    /// Print samples of a benchmark as an agent would see them, with the expected answers
    Show(Box<ShowArgs>),
}

/// The flags of `rlm-eval data fetch`.
#[derive(Debug, Clone, Args)]
pub struct FetchArgs {
    /// Benchmarks that need data; see `rlm-eval list benchmarks`
    #[arg(required = true, value_name = "NAME")]
    pub names: Vec<String>,

    /// Folder in which to create a subfolder for each benchmark [default: ~/.cache/eval/data]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,

    /// URL of a mirror, which replaces scheme and host of every download [default: none]
    #[arg(long, value_name = "URL")]
    pub mirror: Option<String>,
}

/// The flags of `rlm-eval data show`.
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// Benchmark, as for `rlm-eval run --benchmark`
    #[arg(value_name = "NAME")]
    pub benchmark: String,

    /// Options of the benchmark.
    #[command(flatten)]
    pub options: BenchmarkArgs,

    /// Number of samples to print, from the first
    #[arg(
        long,
        value_parser = whole::<usize>(1..=1_000_000),
        default_value_t = 3,
        value_name = "N"
    )]
    pub limit: usize,

    /// Print complete samples as a JSON array, instead of text with contexts cut after 500
    /// characters
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub json: bool,
}
