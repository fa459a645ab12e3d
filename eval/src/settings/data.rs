//! Settings of `rlm-eval data`.

use std::path::{Path, PathBuf};

use harness::nearest;

use super::{SettingsError, benchmark};
use crate::cli::{FetchArgs, ShowArgs};
use crate::fetch;

/// Data to fetch, and where to store it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchSettings {
    /// Benchmarks whose data can be fetched.
    pub names: Vec<String>,
    /// Folder with a subfolder for each benchmark.
    pub root: PathBuf,
    /// Replacement for scheme and host of every URL.
    pub mirror: Option<String>,
}

impl FetchSettings {
    /// Resolves the flags of `rlm-eval data fetch`.
    ///
    /// # Errors
    /// A [`SettingsError`] for a benchmark without data, an invalid URL, or a user without a home
    /// folder.
    pub fn resolve(args: &FetchArgs) -> Result<Self, SettingsError> {
        let known = fetch::names();
        for name in &args.names {
            if !known.contains(name) {
                let nearest = nearest(name, known.iter().map(String::as_str));
                let problem = format!("`{name}` has no data to fetch");
                let problem = SettingsError::unknown(&problem, nearest.as_deref(), &known);
                return Err(SettingsError::new(problem));
            }
        }
        let is_address =
            |mirror: &String| mirror.starts_with("http://") || mirror.starts_with("https://");
        if let Some(mirror) = args.mirror.as_ref().filter(|mirror| !is_address(mirror)) {
            return Err(SettingsError::new(format!(
                "--mirror: invalid URL `{mirror}`: expected, for example, http://127.0.0.1:8000"
            )));
        }
        let root = benchmark::data_root(args.data_dir.as_deref());
        Ok(Self {
            names: args.names.clone(),
            root: root.ok_or_else(|| {
                SettingsError::new(
                    "no folder for data: neither HOME nor XDG_CACHE_HOME is set; name one with --data-dir",
                )
            })?,
            mirror: args.mirror.clone(),
        })
    }
}

/// Samples to show.
#[derive(Debug, Clone)]
pub struct ShowSettings {
    /// Name of the benchmark in the catalog, or path of a user-supplied one.
    pub benchmark: String,
    /// Options of the benchmark.
    pub options: benchmarks::Options,
    /// Maximum number of samples, taken from the start; at least 1.
    pub limit: usize,
    /// Whether to print JSON.
    pub json: bool,
}

impl ShowSettings {
    /// Resolves the flags of `rlm-eval data show`.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag.
    pub fn resolve(args: &ShowArgs) -> Result<Self, SettingsError> {
        let (benchmark, options) = benchmark::resolve(&args.benchmark, &args.options)?;
        Ok(Self {
            benchmark,
            options,
            limit: args.limit,
            json: args.json,
        })
    }
}

/// Whether the data of a benchmark is in the given or default data folder.
pub fn data_is_here(name: &str, data_dir: Option<&Path>) -> bool {
    benchmark::data_root(data_dir).is_some_and(|root| fetch::is_here(name, &root))
}
