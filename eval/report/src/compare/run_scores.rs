//! Scores of a run, and its values that are the same in all rows of `results.csv`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use model::Status;
use records::run_dir::TruncatedRecord;

use crate::differences::RunParts;

/// Columns of `results.csv` that have the same value in every row.
pub(super) const CONSTANT_COLUMNS: [&str; 11] = [
    "run_id",
    "benchmark",
    "model",
    "protocol",
    "prompt_mode",
    "drivers",
    "max_depth",
    "max_iterations",
    "dataset_digest",
    "scorer",
    "fingerprint",
];

/// Fields of an attempt that comparisons need.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredAttempt {
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// Name of the sample's cluster, within which scores are correlated; `None` for an independent
    /// sample.
    pub cluster: Option<String>,
    /// Status with which the attempt ended.
    pub status: Status,
    /// Score from 0 to 1; `None` if the attempt ended in an error or was cancelled.
    pub score: Option<f64>,
    /// Whether the model refused to answer.
    pub refused: bool,
    /// Whether the server probably truncated one of the attempt's prompts.
    pub has_truncated_prompt: bool,
}

/// Scores of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunScores {
    /// Path of the source folder or file.
    pub path: PathBuf,
    /// Whether the scores are from a CSV file, which does not contain the number of planned
    /// attempts.
    pub is_csv: bool,
    /// Folder of the race that the run is a cell of, if any.
    pub race: Option<PathBuf>,
    /// Known values that are the same in all rows of `results.csv`.
    pub facts: BTreeMap<String, String>,
    /// Recorded settings of the run.
    pub parts: RunParts,
    /// Number of planned attempts; of a CSV file, number of rows.
    pub attempts_total: u64,
    /// Time when the first attempt began, if recorded.
    pub started: Option<Timestamp>,
    /// Attempts of the run, without duplicates.
    pub attempts: Vec<ScoredAttempt>,
    /// Truncated last record, if any.
    pub truncated_record: Option<TruncatedRecord>,
}
