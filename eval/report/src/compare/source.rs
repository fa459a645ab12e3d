//! Reads the scores of a run from its folder or a CSV file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use model::Status;
use records::run_dir::{RunDir, TruncatedRecord};
use serde::Serialize;
use serde_json::Value;

use super::csv_file;
use super::error::CompareError;
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

/// Known values of the columns of `results.csv` that are the same in all rows of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct RunColumns(BTreeMap<&'static str, String>);

impl RunColumns {
    /// Returns the value of a column, or `None` if it is unknown or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(super) fn insert(&mut self, name: &'static str, value: String) {
        if !value.is_empty() {
            self.0.insert(name, value);
        }
    }
}

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
    /// Known values that are the same in all rows of `results.csv`.
    pub facts: RunColumns,
    /// Recorded settings of the run.
    pub parts: RunParts,
    /// Number of planned attempts.
    pub attempts_total: u64,
    /// Time when the first attempt began, if recorded.
    pub started: Option<Timestamp>,
    /// Attempts of the run, without duplicates.
    pub attempts: Vec<ScoredAttempt>,
    /// Truncated last record, if any.
    pub truncated_record: Option<TruncatedRecord>,
}

impl RunScores {
    /// Reads a run directory or a CSV file: `results.csv`, or a file written by another program.
    ///
    /// # Errors
    /// Returns [`CompareError`] if a folder does not contain a run, or if a file cannot be read or
    /// is malformed.
    pub fn read(path: &Path) -> Result<Self, CompareError> {
        if path.is_dir() {
            Ok(Self::of_run(&RunDir::open(path)?))
        } else {
            csv_file::read(path)
        }
    }

    /// Reads a run directory with the scores added by `rlm-eval score`.
    ///
    /// # Errors
    /// Returns [`CompareError`] if the folder does not contain a run with scores by `scorer`.
    pub fn read_scored(path: &Path, scorer: &str) -> Result<Self, CompareError> {
        Ok(Self::of_run(&RunDir::open(path)?.with_scores(scorer)?))
    }

    /// Returns the scores of a run that has already been read.
    pub fn of_run(run: &RunDir) -> Self {
        let mut facts = RunColumns::default();
        // The run's identity is a flat object whose field names are column names.
        if let Ok(Value::Object(mut identity)) = serde_json::to_value(&run.lock.run) {
            for fact in CONSTANT_COLUMNS {
                match identity.get_mut(fact).map(Value::take) {
                    Some(Value::String(text)) => facts.insert(fact, text),
                    Some(Value::Number(number)) => facts.insert(fact, number.to_string()),
                    _ => {}
                }
            }
        }
        let attempts = run.records.iter().map(|record| ScoredAttempt {
            sample: record.id.clone(),
            attempt: record.attempt,
            cluster: record.cluster.clone(),
            status: record.status,
            score: record.score,
            refused: record.refused,
            has_truncated_prompt: record.cut_prompts > 0,
        });
        Self {
            path: run.path.clone(),
            facts,
            parts: RunParts::of_run(run),
            attempts_total: run.attempts_total(),
            started: run.started(),
            attempts: attempts.collect(),
            truncated_record: run.truncated_record.clone(),
        }
    }
}
