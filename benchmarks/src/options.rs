//! Options for opening a benchmark, and errors of opening one.

use std::path::{Path, PathBuf};

use crate::DatasetError;

/// Default number of samples for each context length.
pub const TASKS_PER_LENGTH: usize = 2;

/// Options for opening a benchmark. Each benchmark reads the options that it supports and ignores
/// the others.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder or file of the benchmark's data; required if
    /// [`Entry::needs_data`](crate::Entry::needs_data) is true.
    pub data_dir: Option<PathBuf>,
    /// Whether contexts that list labeled instances include the labels.
    pub labels: bool,
    /// Prefix of the names of the data files to read, such as `validation`. `None`: the benchmark's
    /// usual files.
    pub split: Option<String>,
    /// Whether malformed rows are skipped and counted instead of being an error.
    pub skip_malformed: bool,
    /// Name of the scorer to use for a user-supplied benchmark.
    pub scorer: Option<String>,
    /// Whether a scorer outside this crate is used. The benchmark's scorer then need not accept the
    /// expected values.
    pub is_scored_outside: bool,
    /// Seed of generated samples; the same seed generates the same bytes.
    pub seed: u64,
    /// Lengths of generated contexts in characters, or of existing contexts in tokens as stated in
    /// the data. If empty, contexts are generated in the default lengths, or all existing ones are
    /// used.
    pub context_lengths: Vec<usize>,
    /// Number of samples to generate for each context length.
    pub tasks_per_length: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            data_dir: None,
            labels: false,
            split: None,
            skip_malformed: false,
            scorer: None,
            is_scored_outside: false,
            seed: 0,
            context_lengths: Vec::new(),
            tasks_per_length: TASKS_PER_LENGTH,
        }
    }
}

impl Options {
    /// Returns [`Options::data_dir`], or an error that says what the benchmark needs.
    pub(crate) fn data(
        &self,
        benchmark: &'static str,
        wanted: &'static str,
    ) -> Result<&Path, OpenError> {
        self.data_dir
            .as_deref()
            .ok_or(OpenError::NeedsData { benchmark, wanted })
    }
}

/// Reason why a benchmark cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The name of the benchmark, its scorer, or the value of an option is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The benchmark reads files, but no file or folder was given.
    #[error("benchmark `{benchmark}` needs a data folder: {wanted}")]
    NeedsData {
        /// Name of the benchmark.
        benchmark: &'static str,
        /// What the file or folder must contain.
        wanted: &'static str,
    },
    /// The benchmark's files cannot be used.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}
