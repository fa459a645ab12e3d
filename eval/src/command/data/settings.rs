//! Flags of `rlm-eval data`, and their checks.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::fetch;
use crate::settings::flags::NotFromFile;
use crate::settings::values::whole;
use crate::settings::{BenchmarkArgs, SettingsError, benchmark};

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
    #[arg(long, value_name = "URL", add = NotFromFile)]
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
    #[arg(long)]
    pub json: bool,
}

impl FetchArgs {
    /// Checks the flags, and returns the folder with a subfolder for each benchmark.
    ///
    /// # Errors
    /// A [`SettingsError`] for a benchmark without data to fetch, an invalid URL, or an unknown
    /// data folder.
    pub fn root(&self) -> Result<PathBuf, SettingsError> {
        let known = fetch::names();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        for name in &self.names {
            if !known.contains(&name.as_str()) {
                let problem = format!("`{name}` has no data to fetch");
                let problem = SettingsError::unknown(&problem, name, &known);
                return Err(SettingsError::new(problem));
            }
        }
        let is_address =
            |mirror: &String| mirror.starts_with("http://") || mirror.starts_with("https://");
        if let Some(mirror) = self.mirror.as_ref().filter(|mirror| !is_address(mirror)) {
            return Err(SettingsError::new(format!(
                "--mirror: invalid URL `{mirror}`: expected, for example, http://127.0.0.1:8000"
            )));
        }
        let root = benchmark::data_root(self.data_dir.as_deref());
        root.ok_or_else(|| {
                SettingsError::new(
                    "no folder for data: neither HOME nor XDG_CACHE_HOME is set; name one with --data-dir",
                )
            })
    }
}

/// Whether the data of a benchmark is in the given or default data folder.
pub fn data_is_here(name: &str, data_dir: Option<&Path>) -> bool {
    benchmark::data_root(data_dir).is_some_and(|root| fetch::is_here(name, &root))
}
