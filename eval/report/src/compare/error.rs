//! Why runs cannot be compared.

use std::io;
use std::path::PathBuf;

use records::run_dir::RunDirError;

use super::csv_file::CsvProblem;

/// Why runs cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A folder holds no run, or a file cannot be written.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// A file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// A CSV file does not hold the scores of a run.
    #[error("{}:{line}: {problem}", path.display())]
    Csv {
        /// The file.
        path: PathBuf,
        /// 1-based: where the row begins.
        line: u64,
        /// What is wrong.
        problem: Box<CsvProblem>,
    },
    /// Scores that mean different things.
    #[error(transparent)]
    Differ(Box<Mismatch>),
}

/// What keeps two runs from being compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the runs differ in {what}: {first} has `{first_value}`, and {second} has `{second_value}`"
)]
pub struct Mismatch {
    /// The column of `results.csv`.
    pub what: &'static str,
    /// The name of a run.
    pub first: String,
    /// What it has.
    pub first_value: String,
    /// The name of another.
    pub second: String,
    /// What that has.
    pub second_value: String,
}

impl CompareError {
    /// What to do about it, where that is more than the message says.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Differ(_) => Some("--allow-mismatch compares them all the same"),
            Self::Csv { problem, .. } => match **problem {
                CsvProblem::NoColumn { .. } | CsvProblem::Empty => Some(
                    "the first line names the columns, parted by commas: id (or sample) and score, and if known attempt, cluster, status",
                ),
                CsvProblem::Twice {
                    has_attempts: false,
                    ..
                } => Some(
                    "several attempts at a sample need a column `attempt` that counts them from 1",
                ),
                _ => None,
            },
            Self::RunDir(_) | Self::Read { .. } => None,
        }
    }
}
