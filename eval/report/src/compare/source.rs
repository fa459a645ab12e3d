//! Reads the scores of a run from its folder or a CSV file.

use std::path::Path;

use records::run_dir::RunDir;

use super::csv_file;
use super::error::CompareError;
use super::run_scores::{RunScores, ScoredAttempt};
use crate::differences::{RunParts, constant_columns};

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
            facts: constant_columns(&run.lock.run),
            parts: RunParts::of_run(run),
            attempts_total: run.attempts_total(),
            started: run.started(),
            attempts: attempts.collect(),
            truncated_record: run.truncated_record.clone(),
            is_csv: false,
            race: crate::race_folder::race_of(&run.path),
        }
    }
}
