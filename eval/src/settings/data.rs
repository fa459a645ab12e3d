//! Settings of `rlm-eval data`.

use std::path::{Path, PathBuf};

use harness::nearest;

use super::{SettingsError, benchmark};
use crate::cli::{FetchArgs, ShowArgs};
use crate::fetch;

/// What is fetched, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchSettings {
    /// Benchmarks whose data has a home.
    pub names: Vec<String>,
    /// The folder in which each gets a folder of its name.
    pub root: PathBuf,
    /// What takes the place of scheme and host of every address.
    pub mirror: Option<String>,
}

impl FetchSettings {
    /// Resolves the flags of `rlm-eval data fetch`.
    ///
    /// # Errors
    /// A [`SettingsError`] for a benchmark without data, an address that is none, or a user without a home.
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
                "--mirror: `{mirror}` is no address; expected one like http://127.0.0.1:8000"
            )));
        }
        let root = benchmark::data_root(args.data_dir.as_deref());
        Ok(Self {
            names: args.names.clone(),
            root: root.ok_or_else(|| {
                SettingsError::new(
                    "there is no folder for data: neither HOME nor XDG_CACHE_HOME is set; give one with --data-dir",
                )
            })?,
            mirror: args.mirror.clone(),
        })
    }
}

/// Which samples are shown.
#[derive(Debug, Clone)]
pub struct ShowSettings {
    /// The benchmark's name in the catalog, or the path of one's own.
    pub benchmark: String,
    /// What it is opened with.
    pub options: benchmarks::Options,
    /// At most so many samples, the first ones; at least 1.
    pub limit: usize,
    /// Whether they are printed as JSON.
    pub json: bool,
}

impl ShowSettings {
    /// Resolves the flags of `rlm-eval data show`.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first flag that is wrong.
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

/// Whether the data of a benchmark is in the folder of all data, given or the usual one.
pub fn data_is_here(name: &str, data_dir: Option<&Path>) -> bool {
    benchmark::data_root(data_dir).is_some_and(|root| fetch::is_here(name, &root))
}
