//! Errors of comparing runs.

use std::io;
use std::path::PathBuf;

use records::run_dir::RunDirError;

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

/// Reason why a CSV file is invalid.
#[derive(Debug, thiserror::Error)]
pub enum CsvProblem {
    /// The file has no rows, possibly not even a header.
    #[error("no rows; expected a header and a row for each attempt")]
    Empty,
    /// A required column does not exist.
    #[error("missing column {wanted}; the file has: {found}")]
    MissingColumn {
        /// Name of the column, or the names of two alternatives.
        wanted: &'static str,
        /// Names of the existing columns, truncated.
        found: String,
    },
    /// Two columns have the same name.
    #[error("column {column}: duplicate column name `{name}`")]
    DuplicateColumn {
        /// Number of the column, 1-based.
        column: usize,
        /// Name of the column.
        name: String,
    },
    /// A row is shorter or longer than the header.
    #[error("{found} fields, but the header has {wanted}")]
    Fields {
        /// Number of fields in the row.
        found: u64,
        /// Number of fields in the header.
        wanted: u64,
    },
    /// A field is not valid UTF-8.
    #[error("column {column}: not UTF-8 text")]
    NotUtf8 {
        /// Number of the column, 1-based.
        column: usize,
    },
    /// A field has an invalid value.
    #[error("column {column} ({name}): invalid value `{found}`: expected {wanted}")]
    Value {
        /// Number of the column, 1-based.
        column: usize,
        /// Name of the column.
        name: &'static str,
        /// Value of the field, truncated.
        found: String,
        /// Expected kind of value.
        wanted: &'static str,
    },
    /// A value that must be the same in the whole run or sample differs from an earlier row.
    #[error("column {column} ({name}): `{found}` differs from `{earlier}` on line {line}; {why}")]
    Changed {
        /// Number of the column, 1-based.
        column: usize,
        /// Name of the column.
        name: &'static str,
        /// Value of the field, truncated.
        found: String,
        /// Earlier value, truncated.
        earlier: String,
        /// Line of the earlier value, 1-based.
        line: u64,
        /// Reason why the values must be equal.
        why: &'static str,
    },
    /// Two rows describe the same attempt.
    #[error("duplicate attempt {attempt} at sample `{sample}`: it is also on line {line}")]
    DuplicateAttempt {
        /// Id of the sample, truncated.
        sample: String,
        /// Number of the attempt, 1-based.
        attempt: u32,
        /// Line of the earlier row, 1-based.
        line: u64,
        /// Whether the file has a column for attempts.
        has_attempts: bool,
    },
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
    /// Value in this run, with shortened hashes.
    pub first_value: String,
    /// Name of the other run.
    pub second: String,
    /// Value in the other run, with shortened hashes.
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
