//! A dataset: the samples of a benchmark, each made or read when it is asked for.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::{AppWorld, ForeignOrigin, OutsideScorer, OwnWorld, Sample, Scorer, Site};

/// What is known of a sample, by name.
pub type SampleMetadata = BTreeMap<String, Value>;

/// The samples of one opened benchmark.
///
/// A dataset holds ids and not samples, so that a run keeps in memory only the samples in flight.
pub trait Dataset: Send + Sync {
    /// The benchmark's name in the catalog.
    fn name(&self) -> &str;

    /// Lower-case hex SHA-256 over what defines the samples. Samples of the same id under the same digest are equal.
    fn digest(&self) -> &str;

    /// The ids of all samples, in the order of the run.
    fn ids(&self) -> &[String];

    /// What a user should know of how it was opened, such as rows that were left out.
    fn notes(&self) -> &[String] {
        &[]
    }

    /// What is known of a sample before it is made or read: part of its metadata, and what `--filter` goes by. Empty
    /// for an index past the last sample.
    fn facts(&self, index: usize) -> SampleMetadata;

    /// Makes or reads the sample whose id is `self.ids()[index]`.
    ///
    /// # Errors
    ///
    /// `index` is past the last sample, or the sample's file is gone, unreadable or not what it was when opened.
    fn sample(&self, index: usize) -> Result<Sample, DatasetError>;

    /// The world of apps and documents in which the sample of this id is worked on; none for a sample without one.
    fn app_world(&self, _id: &str) -> Option<AppWorld> {
        None
    }

    /// The web site on which the sample of this id is worked on; none for a sample without one.
    fn site(&self, _id: &str) -> Option<Box<dyn Site>> {
        None
    }

    /// The world of one's own in which the sample of this id is worked on; none for a sample of texts, or of another world.
    ///
    /// # Errors
    ///
    /// As of [`Dataset::sample`].
    fn own_world(&self, _id: &str) -> Result<Option<OwnWorld>, DatasetError> {
        Ok(None)
    }

    /// The place of the first row that names a command to be run.
    fn first_command(&self) -> Option<&str> {
        None
    }

    /// The origins of others that rows let pages reach, each once.
    fn foreign_origins(&self) -> &[ForeignOrigin] {
        &[]
    }

    /// Whether there are samples whose user says more than the query.
    fn has_follow_ups(&self) -> bool {
        false
    }

    /// The scorer that the benchmark is scored with.
    fn scorer(&self) -> Arc<dyn Scorer>;

    /// The scorer that takes the place of [`Dataset::scorer`], where the benchmark's own description names one that this
    /// crate cannot run.
    fn outside_scorer(&self) -> Option<&OutsideScorer> {
        None
    }
}

/// Why a dataset, or one of its samples, cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// There is no sample with this index.
    #[error("there is no sample with index {index}, the dataset has {len}")]
    Index {
        /// The index asked for, from 0.
        index: usize,
        /// The number of samples.
        len: usize,
    },
    /// A file or folder cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// There is no benchmark of one's own where it was looked for.
    #[error(
        "there is no file or folder {}; a benchmark of your own is a file of rows, or a folder with a benchmark.yaml",
        path.display()
    )]
    Absent {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A folder is no benchmark of one's own.
    #[error("no benchmark.yaml in {}: it makes a folder a benchmark; a file of rows needs none, name the file", folder.display())]
    NoDescription {
        /// The folder.
        folder: PathBuf,
    },
    /// There are no rows where they were looked for.
    #[error(
        "no rows in {}; they come in files {}*.jsonl, *.json, *.csv or *.parquet, alone, in a folder, or in data/ below it",
        path.display(),
        split.as_deref().unwrap_or_default()
    )]
    NoRows {
        /// The file or folder.
        path: PathBuf,
        /// What the files' names have to begin with.
        split: Option<String>,
    },
    /// A row, or a file of rows as a whole, is malformed.
    #[error("{place}: {problem}")]
    Row {
        /// The file, and the line or number of the row.
        place: String,
        /// What is wrong, with the field, and what would be right.
        problem: String,
    },
    /// A file is no longer what it was when the dataset was opened, so that the digest would be a lie.
    #[error("{} has changed since the dataset was opened", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// What only one benchmark's files can have wrong.
    #[error(transparent)]
    Benchmark(Box<dyn Error + Send + Sync>),
}

impl DatasetError {
    /// What only one benchmark's files can have wrong.
    pub(crate) fn of_benchmark(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Benchmark(Box::new(error))
    }
}

/// Metadata of a sample by name.
pub(crate) fn facts(pairs: impl IntoIterator<Item = (&'static str, Value)>) -> SampleMetadata {
    pairs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
