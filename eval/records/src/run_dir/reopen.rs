//! Takes a run up again that was stopped, killed or cut short.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::hold::Held;
use super::links;
use super::reader::{self, Lock};
use super::samples::{SampleLog, TruncatedRecord, latest, read_records};
use super::wasted_spend::LongestResponses;
use super::writer::RunWriter;
use super::{CONFIG, LOCK, RunDirError, SAMPLES, TRAJECTORIES, atomic, wasted_spend};
use crate::AttemptRecord;
use crate::Spent;
use crate::program::Program;

/// A run that can go on, held against every other process. Nothing of it is changed before [`go_on`](Self::go_on).
#[derive(Debug)]
pub struct Reopened {
    path: PathBuf,
    held: Held,
    lock: Lock,
    config: Value,
    all: Vec<AttemptRecord>,
    truncated_record: Option<TruncatedRecord>,
}

impl Reopened {
    /// Takes the lock of the run in a folder and reads what is finished.
    ///
    /// A run that was killed before its first attempt may lack `samples.jsonl`: then nothing is finished.
    ///
    /// # Errors
    /// The folder holds no run, another process works on it, or a file of it cannot be read, is malformed or of a later
    /// version.
    pub fn open(path: &Path) -> Result<Self, RunDirError> {
        for missing in [CONFIG, LOCK] {
            if !path.join(missing).is_file() {
                let path = path.to_owned();
                return Err(RunDirError::NotARun { path, missing });
            }
        }
        links::check(path)?;
        let held = Held::take(path)?;
        let lock = reader::read_lock(path)?;
        let (_, config) = reader::read_config(path)?;
        reader::check_fingerprint(path, &lock, &config)?;
        let samples = path.join(SAMPLES);
        let (all, truncated_record) = if samples.exists() {
            read_records(&samples)?
        } else {
            (Vec::new(), None)
        };
        Ok(Self {
            path: path.to_owned(),
            held,
            lock,
            config,
            all,
            truncated_record,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The fingerprint, and what all attempts have in common.
    pub fn lock(&self) -> &Lock {
        &self.lock
    }

    /// The settings of the last start.
    pub fn config(&self) -> &Value {
        &self.config
    }

    /// The attempts that count, one record each.
    pub fn records(&self) -> Vec<AttemptRecord> {
        latest(self.all.clone())
    }

    /// What earlier starts have spent, on finished attempts and on those that never ended.
    ///
    /// # Errors
    /// [`RunDirError::Read`] for a trajectory.
    pub fn spent(&self) -> Result<Spent, RunDirError> {
        let mut spent = wasted_spend::spent_unfinished(&self.path, &self.all)?;
        for record in &self.all {
            spent += Spent::of(record);
        }
        Ok(spent)
    }

    /// The longest responses of earlier starts of the run in a folder.
    ///
    /// # Errors
    /// [`RunDirError::Read`] for a trajectory.
    pub fn longest_responses(folder: &Path) -> Result<LongestResponses, RunDirError> {
        wasted_spend::longest_responses(folder)
    }

    /// A last line that was never written to its end; it is cut off when the run goes on.
    pub fn truncated_record(&self) -> Option<&TruncatedRecord> {
        self.truncated_record.as_ref()
    }

    /// Opens the run for further events, and notes in its lock that `program` works on it. `config` takes the place of
    /// the settings there; `order` is as in [`NewRun::begin`](super::NewRun::begin); the finished attempts in `again` are
    /// about to be made again.
    ///
    /// Dying on the way leaves a run that can be taken up like before.
    ///
    /// # Errors
    /// [`RunDirError`] if a file cannot be read or written; what was finished stays.
    pub fn go_on(
        mut self,
        config: &Value,
        order: Vec<String>,
        again: &BTreeSet<(String, u32)>,
        program: &Program,
    ) -> Result<RunWriter, RunDirError> {
        let samples = SampleLog::reopen(&self.path.join(SAMPLES), self.truncated_record.as_ref())?;
        let trajectories = self.path.join(TRAJECTORIES);
        fs::create_dir_all(&trajectories).map_err(|reason| RunDirError::Write {
            path: trajectories,
            reason,
        })?;
        wasted_spend::abandon(&self.path, &self.all)?;
        wasted_spend::supersede(&self.path, again)?;
        wasted_spend::forget(&self.path, again)?;
        if !self.lock.programs().contains(program) {
            self.lock.later_programs.push(program.clone());
            atomic::write_json(&self.path.join(LOCK), &self.lock)?;
        }
        atomic::write_json(&self.path.join(CONFIG), config)?;
        Ok(RunWriter::open(
            self.path,
            self.held,
            self.lock.run,
            order,
            samples,
        ))
    }
}
