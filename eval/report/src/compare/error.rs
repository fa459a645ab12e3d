//! Errors of comparing runs.

use std::io;
use std::path::PathBuf;

use records::run_dir::RunDirError;

use super::csv_file::CsvProblem;

/// Reason why runs cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A run directory is invalid, for example because it does not contain a run.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// A file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// A CSV file does not contain the scores of a run.
    #[error("{}:{line}: {problem}", path.display())]
    Csv {
        /// Path of the file.
        path: PathBuf,
        /// Line on which the row begins, 1-based.
        line: u64,
        /// Reason why the file is invalid.
        problem: Box<CsvProblem>,
    },
    /// The runs differ in benchmark, dataset or scorer.
    #[error(transparent)]
    Differ(Box<Mismatch>),
}

/// A difference that makes two runs incomparable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the runs differ in {what}: {first} has `{first_value}`, and {second} has `{second_value}`"
)]
pub struct Mismatch {
    /// Name of the differing column in `results.csv`.
    pub what: &'static str,
    /// Name of one run.
    pub first: String,
    /// Value in this run.
    pub first_value: String,
    /// Name of the other run.
    pub second: String,
    /// Value in the other run.
    pub second_value: String,
}

impl CompareError {
    /// Returns a hint on how to fix the error, or `None` if the message suffices.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Differ(_) => Some("compare them anyway with --allow-mismatch"),
            Self::Csv { problem, .. } => match **problem {
                CsvProblem::MissingColumn { .. } | CsvProblem::Empty => Some(
                    "the first line must name the columns, separated by commas: id (or sample) and score, optionally attempt, cluster and status",
                ),
                CsvProblem::DuplicateAttempt {
                    has_attempts: false,
                    ..
                } => Some(
                    "for several attempts at a sample, add a column `attempt` that numbers them from 1",
                ),
                _ => None,
            },
            Self::RunDir(_) | Self::Read { .. } => None,
        }
    }
}
