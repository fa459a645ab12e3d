//! Converts the results of other systems to run directories.
//!
//! Invariant: scores, answers and times are copied as recorded. A value that the other system did
//! not record is null, never 0.

mod attempt;
mod node_rlm;

use std::fs;
use std::path::{Path, PathBuf};

use harness::model::Event;
use harness::provider::ReplayError;
use jiff::Timestamp;
use records::run_dir::{Fingerprint, Lock, NewRun, RunDirError};
use records::{AttemptRecord, RunIdentity};
use report::summary::Summary;
use serde_json::Value;

pub use node_rlm::{SCORER, SuppliedSettings, read};

/// A run of another system, read completely.
#[derive(Debug, Clone)]
pub struct Imported {
    /// Source file.
    pub file: PathBuf,
    /// Time when the run ended, or if the file lacks it, when the file was read.
    pub ended: Timestamp,
    /// Values shared by all attempts; `run_id` is set by [`Imported::write`].
    pub identity: RunIdentity,
    /// Fingerprint of the run.
    pub fingerprint: Fingerprint,
    /// Contents of `config.json` in addition to the identity.
    pub config: Value,
    /// Attempts in the order of the file, each with its events.
    pub attempts: Vec<(AttemptRecord, Vec<Event>)>,
}

/// Reason why a run cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read or is not a result file.
    #[error(transparent)]
    File(#[from] ReplayError),
    /// A required field is missing, or a field has an invalid value.
    #[error("{}: {field} is {value}; {wanted}", path.display())]
    Field {
        /// Path of the file.
        path: PathBuf,
        /// Path of the field, such as `results[3].score`.
        field: String,
        /// Value of the field, or `missing`.
        value: String,
        /// Description of a valid value.
        wanted: &'static str,
    },
    /// The run directory cannot be written.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
}

impl Imported {
    /// Writes the run to a new folder in `results`, named after benchmark, file and time. Returns
    /// the folder.
    ///
    /// # Errors
    /// [`ImportError::RunDir`]; a partly written folder is removed.
    pub fn write(self, results: &Path) -> Result<PathBuf, ImportError> {
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        let new = NewRun::create(results, &self.identity.benchmark, &stem, self.ended)?;
        let path = new.path().to_owned();
        let run_id = new.id().to_owned();
        let written = self.write_to(new, &run_id);
        if written.is_err() {
            // Report the first failure, not a failure of the cleanup.
            let _ = fs::remove_dir_all(&path);
        }
        written.map(|()| path)
    }

    fn write_to(self, new: NewRun, run_id: &str) -> Result<(), ImportError> {
        let identity = RunIdentity {
            run_id: run_id.to_owned(),
            ..self.identity
        };
        let mut config = self.config;
        config["run"] = serde_json::json!(identity);
        let order = self
            .attempts
            .iter()
            .map(|(record, _)| record.id.clone())
            .collect();
        let lock = Lock::new(self.fingerprint, identity);
        let mut writer = new.begin(&config, lock, order)?;
        let mut records = Vec::new();
        for (mut record, events) in self.attempts {
            run_id.clone_into(&mut record.run_id);
            writer.begin_attempt(&record.id, record.attempt);
            for mut event in events {
                run_id.clone_into(&mut event.run_id);
                writer.event(&event);
            }
            writer.end_attempt(&record);
            records.push(record);
        }
        let summary = Summary::new(&records, records.len() as u64);
        writer.finish(|wasted| summary.with_wasted(wasted));
        match writer.take_error() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }
}
