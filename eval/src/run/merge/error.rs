//! Reasons why runs cannot be merged.

use std::path::PathBuf;

use records::run_dir::RunDirError;

/// Reason why runs cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// Two runs were made by different program versions.
    #[error(
        "{} and {} were made by different program versions: {difference}", first.display(), other.display()
    )]
    Program {
        /// Path of the first run.
        first: PathBuf,
        /// Path of the other run.
        other: PathBuf,
        /// Clause that names the components that differ.
        difference: String,
    },
    /// Two runs are different experiments, or select different attempts.
    #[error("{} and {} are {problem}", first.display(), other.display())]
    Unrelated {
        /// Path of the first run.
        first: PathBuf,
        /// Path of the other run.
        other: PathBuf,
        /// Description of all differences, such as `different experiments: model is …`.
        problem: String,
    },
    /// Runs belong to partitions of different sizes.
    #[error("the runs are shards of {}: expected the same number of shards", .0.join(" and of "))]
    Shards(Vec<String>),
    /// Two runs contain different records of one attempt.
    #[error(
        "attempt {attempt} at {id} is in {} and in {}, but the records differ in \
         {}", first.display(), other.display(),
        fields.join(", ")
    )]
    Disagree {
        /// Id of the sample.
        id: String,
        /// Number of the attempt, 1-based.
        attempt: u32,
        /// Path of the first run that contains it.
        first: PathBuf,
        /// Path of the other run.
        other: PathBuf,
        /// Names of the fields that differ.
        fields: Vec<String>,
    },
    /// The output folder already exists.
    #[error("{} already exists; pass the path of a new folder", .0.display())]
    Exists(PathBuf),
    /// A run cannot be read, or the merged run cannot be written.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
}
