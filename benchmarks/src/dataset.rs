//! A dataset: the samples of a benchmark, each made or read when it is asked for.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::{AppWorld, OutsideScorer, Sample, Scorer, World};

/// What is known of a sample, by name.
pub type Facts = BTreeMap<String, Value>;

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
    fn facts(&self, index: usize) -> Facts;

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
    fn world(&self, _id: &str) -> Option<World> {
        None
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
    /// A folder is no benchmark of one's own.
    #[error("no benchmark.yaml in {}: it makes a folder a benchmark; a file of rows needs none, name the file", folder.display())]
    NoDescription {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder holds no tasks.
    #[error("no tasks (*.json) in {}, nor in evaluation/ or training/ below it", path.display())]
    NoTasks {
        /// The folder.
        path: PathBuf,
    },
    /// The data of `arc` has no such part.
    #[error("no tasks of the split `{split}` in {}; the splits are evaluation and training, folders of task files *.json", path.display())]
    NoSplit {
        /// The folder in which it was looked for.
        path: PathBuf,
        /// What was asked for.
        split: String,
    },
    /// A file name cannot be made an id.
    #[error("the file name of {} is not UTF-8", path.display())]
    FileName {
        /// The file.
        path: PathBuf,
    },
    /// A file is not JSON, or JSON of another form. The reason ends in line and column.
    #[error("{}: {reason}; an ARC task is {{\"train\": [{{\"input\": grid, \"output\": grid}}], \"test\": […]}}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        reason: serde_json::Error,
    },
    /// A file has the right form, and a field with a value that makes no task.
    #[error("{}: {field} {problem}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The field: `train[0].input`.
        field: String,
        /// What is wrong with it, and what would be right.
        problem: String,
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
}

/// Facts by name.
pub(crate) fn facts(pairs: impl IntoIterator<Item = (&'static str, Value)>) -> Facts {
    pairs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Lower-case hex of a hash.
pub(crate) fn hex(hash: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    hash.iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}
