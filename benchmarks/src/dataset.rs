//! A dataset: the samples of a benchmark, each generated or read on demand.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::{AppEnvironment, ForeignOrigin, OutsideScorer, Sample, Scorer, Site, UserEnvironment};

/// Metadata of a sample, by name.
pub type SampleMetadata = BTreeMap<String, Value>;

/// Samples of one opened benchmark.
///
/// A dataset holds ids rather than samples, so a run keeps only the samples in flight in memory.
pub trait Dataset: Send + Sync {
    /// Returns the benchmark's name in the catalog.
    fn name(&self) -> &str;

    /// Returns the lowercase hex SHA-256 of everything that defines the samples. If two datasets
    /// have the same digest, their samples with the same id are equal.
    fn digest(&self) -> &str;

    /// Returns the ids of all samples, in the order of the run.
    fn ids(&self) -> &[String];

    /// Returns notes for the user about how the dataset was opened, such as skipped rows.
    fn notes(&self) -> &[String] {
        &[]
    }

    /// Returns the metadata that is known before the sample is generated or read; `--filter` uses
    /// it. Empty if the index is past the last sample.
    fn metadata(&self, index: usize) -> SampleMetadata;

    /// Generates or reads the sample with the id `self.ids()[index]`.
    ///
    /// # Errors
    ///
    /// If `index` is past the last sample, or if the sample's file is missing, is unreadable, or
    /// has changed since the dataset was opened.
    fn sample(&self, index: usize) -> Result<Sample, DatasetError>;

    /// Returns the apps and documents of the sample with this id, if it has any.
    fn app_world(&self, _id: &str) -> Option<AppEnvironment> {
        None
    }

    /// Returns the web site of the sample with this id, if it has one.
    fn site(&self, _id: &str) -> Option<Box<dyn Site>> {
        None
    }

    /// Returns the user-supplied environment of the sample with this id, if it has one.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Dataset::sample`].
    fn user_environment(&self, _id: &str) -> Result<Option<UserEnvironment>, DatasetError> {
        Ok(None)
    }

    /// Returns the location of the first row with a command to run, if any row has one.
    fn first_command(&self) -> Option<&str> {
        None
    }

    /// Returns the foreign origins that rows allow pages to reach, without duplicates.
    fn foreign_origins(&self) -> &[ForeignOrigin] {
        &[]
    }

    /// Whether any sample may have a context.
    fn has_contexts(&self) -> bool {
        true
    }

    /// Whether any sample has user messages after the query.
    fn has_follow_ups(&self) -> bool {
        false
    }

    /// Returns the scorer of the benchmark.
    fn scorer(&self) -> Arc<dyn Scorer>;

    /// Returns the scorer to use instead of [`Dataset::scorer`] if the benchmark's description
    /// names a scorer that this crate cannot run.
    fn outside_scorer(&self) -> Option<&OutsideScorer> {
        None
    }
}

/// Reason why a dataset or one of its samples is not available.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The path of a user-supplied benchmark does not exist.
    #[error(
        "no such file or folder: {}; expected a file of rows, or a folder with a benchmark.yaml",
        path.display()
    )]
    Absent {
        /// The missing path.
        path: PathBuf,
    },
    /// A file has changed since the dataset was opened, so its digest is no longer valid.
    #[error("{} has changed since the dataset was opened", path.display())]
    Changed {
        /// Path of the file.
        path: PathBuf,
    },
    /// A file, folder or row cannot be read or is malformed, or there is no such sample.
    #[error("{0}")]
    Unusable(String),
}

impl DatasetError {
    /// Returns the error for a file of rows that cannot be used.
    pub(crate) fn unusable(path: &Path, problem: impl Display) -> Self {
        Self::Unusable(format!("{}: {problem}", path.display()))
    }

    /// Returns the error for the index of a sample that a dataset with these ids lacks.
    pub(crate) fn out_of_range(index: usize, ids: &[String]) -> Self {
        Self::Unusable(format!(
            "sample index {index} is out of range: the dataset has {} samples",
            ids.len()
        ))
    }

    /// Returns a function that converts the error of reading a file or folder.
    pub(crate) fn cannot_read(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |reason| Self::Unusable(format!("cannot read {}: {reason}", path.display()))
    }
}

pub(crate) fn sample_metadata(
    pairs: impl IntoIterator<Item = (&'static str, Value)>,
) -> SampleMetadata {
    pairs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
