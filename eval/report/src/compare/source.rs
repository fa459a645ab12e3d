//! The scores that a run brings, from its folder or a CSV file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::Status;
use records::run_dir::{RunDir, TruncatedRecord};
use serde::Serialize;
use serde_json::Value;

use super::csv_file;
use super::error::CompareError;
use crate::differences::RunParts;

/// What may be known of a run: columns of `results.csv` that are the same in every row.
pub(super) const FACTS: [&str; 11] = [
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

/// What is known of a run, by the columns of `results.csv`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct RunColumns(BTreeMap<&'static str, String>);

impl RunColumns {
    /// A fact. An empty text is none: in a CSV file, empty means unknown.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(super) fn insert(&mut self, name: &'static str, value: String) {
        if !value.is_empty() {
            self.0.insert(name, value);
        }
    }
}

/// One attempt, as far as comparisons go.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredAttempt {
    /// The sample.
    pub sample: String,
    /// 1-based.
    pub attempt: u32,
    /// Samples of one cluster stand or fall together; none for a sample on its own.
    pub cluster: Option<String>,
    /// How it ended.
    pub status: Status,
    /// From 0 to 1; none after an error.
    pub score: Option<f64>,
}

/// The scores of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunScores {
    /// The folder or file that they are from.
    pub path: PathBuf,
    /// What is known of the run.
    pub facts: RunColumns,
    /// What its agents were given, part by part.
    pub parts: RunParts,
    /// Attempts that the run was to make.
    pub attempts_total: u64,
    /// Those that it made, each once.
    pub attempts: Vec<ScoredAttempt>,
    /// A last record that was never written to its end.
    pub truncated_record: Option<TruncatedRecord>,
}

impl RunScores {
    /// Reads a run directory, or a CSV file: `results.csv`, or one that another program wrote.
    ///
    /// # Errors
    /// [`CompareError`] for a folder that holds no run and for a file that cannot be read or is malformed.
    pub fn read(path: &Path) -> Result<Self, CompareError> {
        if path.is_dir() {
            Ok(Self::of_run(&RunDir::open(path)?))
        } else {
            csv_file::read(path)
        }
    }

    /// The scores of a run that is read already.
    pub fn of_run(run: &RunDir) -> Self {
        let mut facts = RunColumns::default();
        // The identity is a flat object whose fields are named like the columns.
        if let Ok(Value::Object(mut identity)) = serde_json::to_value(&run.lock.run) {
            for fact in FACTS {
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
        });
        Self {
            path: run.path.clone(),
            facts,
            parts: RunParts::of_run(run),
            attempts_total: run.attempts_total(),
            attempts: attempts.collect(),
            truncated_record: run.truncated_record.clone(),
        }
    }
}
