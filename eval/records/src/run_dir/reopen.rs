//! Reopens a run that was stopped or killed, to resume it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use model::Status;
use serde_json::Value;

use super::links;
use super::reader::{self, Lock};
use super::run_lock::Held;
use super::samples::{SampleLog, Successor, TruncatedRecord, latest, read_records, successors};
use super::writer::RunWriter;
use super::{
    CONFIG, JOURNAL, LOCK, RunDirError, SAMPLES, TRAJECTORIES, atomic, journal, name, wasted_spend,
};
use crate::AttemptRecord;
use crate::Spent;
use crate::program::Program;

/// A run that can be resumed, locked against other processes. Before [`resume`](Self::resume), only
/// `running.json` changes on disk.
#[derive(Debug)]
pub struct Reopened {
    /// Folder of the run.
    pub path: PathBuf,
    held: Held,
    /// Content of `lock.json`.
    pub lock: Lock,
    /// Settings with which the run was last started.
    pub config: Value,
    all: Vec<AttemptRecord>,
    /// Truncated last line of `samples.jsonl`, if any. Resuming the run removes it.
    pub truncated_record: Option<TruncatedRecord>,
}

/// A resumed run.
#[derive(Debug)]
pub struct Resumed {
    /// Writer of the run's further events.
    pub writer: RunWriter,
    /// Problems of journals that cannot be read. Their attempts start over.
    pub damaged_journals: Vec<String>,
}

impl Reopened {
    /// Locks the run in a folder and reads its finished attempts.
    ///
    /// If `samples.jsonl` is missing because the run was killed before its first attempt, there are
    /// no finished attempts.
    ///
    /// # Errors
    /// Returns an error if the folder does not contain a run, if another process is working on it,
    /// or if one of its files cannot be read, is malformed, or has a later version.
    pub fn open(path: &Path) -> Result<Self, RunDirError> {
        reader::require(path, &[CONFIG, LOCK])?;
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

    /// Returns the latest record of each attempt.
    pub fn records(&self) -> Vec<AttemptRecord> {
        latest(self.all.clone())
    }

    /// Returns the spending of earlier starts, on finished and unfinished attempts.
    ///
    /// # Errors
    /// Returns [`RunDirError::Read`] if a trajectory cannot be read.
    pub fn spent(&self) -> Result<Spent, RunDirError> {
        let mut spent = wasted_spend::spent_unfinished(&self.path, &self.all)?;
        for (record, next) in self.all.iter().zip(successors(&self.all)) {
            spent += match next {
                // The next record includes the agents' spending, but not the judge's.
                Some(Successor::Continued) => Spent::of_judge(record),
                _ => Spent::of(record),
            };
        }
        Ok(spent)
    }

    /// Returns the finished attempts that an earlier start began to rerun, without finishing them.
    ///
    /// # Errors
    /// Returns [`RunDirError::Read`] if the folder cannot be read.
    pub fn unfinished_reruns(&self) -> Result<BTreeSet<(String, u32)>, RunDirError> {
        let is_open = wasted_spend::open_attempts(&self.path, &self.all)?;
        let records = self.all.iter();
        let reruns = records.filter(|one| is_open(&name::trajectory(&one.id, one.attempt)));
        Ok(reruns.map(|one| (one.id.clone(), one.attempt)).collect())
    }

    /// Opens the run for further events, and records `program` in its lock.
    ///
    /// `config` replaces the recorded settings. `order` has the same meaning as in
    /// [`NewRun::begin`](super::NewRun::begin). `again` contains the finished attempts to rerun,
    /// and `afresh` the attempts, finished or not, that start from the beginning instead of from
    /// their journals.
    ///
    /// If the process dies during this call, the run can still be resumed.
    ///
    /// # Errors
    /// Returns [`RunDirError`] if a file cannot be read or written. Finished attempts are kept.
    pub fn resume(
        mut self,
        config: &Value,
        order: Vec<String>,
        again: &BTreeSet<(String, u32)>,
        afresh: &BTreeSet<(String, u32)>,
        program: &Program,
    ) -> Result<Resumed, RunDirError> {
        let samples = SampleLog::reopen(&self.path.join(SAMPLES), self.truncated_record.as_ref())?;
        let trajectories = self.path.join(TRAJECTORIES);
        fs::create_dir_all(&trajectories)
            .map_err(|reason| RunDirError::cannot_write(&trajectories, reason))?;
        let open = wasted_spend::open_attempts(&self.path, &self.all)?;
        // A killed process may have left journals of recorded attempts uncompressed. Those of
        // attempts that ended in an error stay as they are, because these may continue.
        let latest = latest(self.all.clone());
        let recorded = latest.into_iter().filter(|one| {
            one.status != Status::Error && !open(&name::trajectory(&one.id, one.attempt))
        });
        let uncompressed: Vec<_> = recorded
            .map(|one| (one.id, one.attempt))
            .filter(|(sample, attempt)| journal::path(&self.path, sample, *attempt).is_file())
            .collect();
        let restored = journal::reopen(&self.path, open);
        let damaged_journals = restored
            .map_err(|reason| RunDirError::cannot_read(&self.path.join(JOURNAL), reason))?;
        wasted_spend::abandon(&self.path, &self.all)?;
        wasted_spend::remove_journals(&self.path, &self.all, afresh)?;
        wasted_spend::supersede(&self.path, again)?;
        if !self.lock.programs().contains(program) {
            self.lock.later_programs.push(program.clone());
            atomic::write_json(&self.path.join(LOCK), &self.lock)?;
        }
        atomic::write_json(&self.path.join(CONFIG), config)?;
        let mut writer = RunWriter::open(self.path, self.held, self.lock.run, order, samples);
        writer.compress(uncompressed);
        Ok(Resumed {
            writer,
            damaged_journals,
        })
    }
}
