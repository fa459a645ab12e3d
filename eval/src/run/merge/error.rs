//! Reasons why runs cannot be merged.

use std::path::PathBuf;

use records::run_dir::{Difference, RunDirError};

/// Reason why runs cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// Two runs are different experiments.
    #[error(
        "{} and {} are different experiments: \
         {}", first.display(), other.display(), list(differences)
    )]
    Fingerprint {
        /// Path of the first run.
        first: PathBuf,
        /// Path of the other run.
        other: PathBuf,
        /// Differences between the fingerprints.
        differences: Vec<Difference>,
    },
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
    /// Two runs select different attempts.
    #[error("{} and {} are not shards of one run: {}", first.display(), other.display(), differences.join("; "))]
    Selection {
        /// Path of the first run.
        first: PathBuf,
        /// Path of the other run.
        other: PathBuf,
        /// Description of each difference.
        differences: Vec<String>,
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

fn list(differences: &[Difference]) -> String {
    let all: Vec<String> = differences
        .iter()
        .map(|difference| difference.between("in one", "in the other"))
        .collect();
    all.join("; ")
}
