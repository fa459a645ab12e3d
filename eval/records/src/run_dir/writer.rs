//! Creates a run directory and writes its files during the run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use model::{Event, Status};
use serde::Serialize;
use serde_json::Value;

use super::journal::Compressor;
use super::run_lock::Held;
use super::samples::{SampleLog, latest, read_records};
use super::trajectories::Trajectories;
use super::{
    CONFIG, Journal, LOCK, Lock, RESULTS, RunDirError, SAMPLES, SUMMARY, TRAJECTORIES, answers,
    atomic, name, results_csv, wasted_spend,
};
use crate::{AttemptRecord, RunIdentity, Wasted};

/// Folder of a run that has not begun. Dropping this value before [`begin`](Self::begin) removes
/// the folder.
#[derive(Debug)]
pub struct NewRun {
    id: String,
    path: PathBuf,
    /// Parent folders that were created for the run, outermost first.
    parents: Vec<PathBuf>,
    begun: bool,
}

impl NewRun {
    /// Creates the folder `<results>/<benchmark>-<mode>-<yyyymmdd-hhmmss>-<4 hex>`, and `results`
    /// if it is missing. An existing folder is never reused.
    ///
    /// # Errors
    /// Returns [`RunDirError::NotAFolder`] if `results` or a parent of it is a file, and
    /// [`RunDirError::Create`] if a folder cannot be created. After an error, no new folder is left
    /// behind.
    pub fn create(
        results: &Path,
        benchmark: &str,
        mode: &str,
        started: Timestamp,
    ) -> Result<Self, RunDirError> {
        if let Some(file) = results
            .ancestors()
            .find(|path| path.symlink_metadata().is_ok())
            .filter(|path| path.exists() && !path.is_dir())
        {
            let path = file.to_owned();
            return Err(RunDirError::NotAFolder { path });
        }
        let mut run = Self::without_folder(results);
        run.make(results, benchmark, mode, started)
            .map_err(|reason| RunDirError::Create {
                folder: results.to_owned(),
                reason,
            })?;
        Ok(run)
    }

    /// Creates the folder of a run at a chosen path, with missing parents. The folder's name
    /// becomes the run's id.
    ///
    /// # Errors
    /// Returns [`RunDirError::Create`] if the path exists or the folder cannot be created. After an
    /// error, no new folder is left behind.
    pub fn create_at(path: &Path) -> Result<Self, RunDirError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut run = Self::without_folder(folder);
        let made = if folder.as_os_str().is_empty() {
            Ok(())
        } else {
            fs::create_dir_all(folder)
        };
        made.and_then(|()| fs::create_dir(path))
            .map_err(|reason| RunDirError::Create {
                folder: path.to_owned(),
                reason,
            })?;
        // Set the path only after the folder was created, because dropping `run` removes the folder
        // at its path.
        path.clone_into(&mut run.path);
        run.id = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(run)
    }

    /// Returns a run without a folder, and notes which parents of the new folder do not exist yet.
    fn without_folder(folder: &Path) -> Self {
        let mut parents: Vec<PathBuf> = folder
            .ancestors()
            .filter(|folder| !folder.as_os_str().is_empty())
            .take_while(|folder| !folder.exists())
            .map(Path::to_owned)
            .collect();
        parents.reverse();
        Self {
            id: String::new(),
            path: PathBuf::new(),
            parents,
            begun: false,
        }
    }

    /// Sets another id, so that runs in folders with the same name can have different ids.
    #[must_use]
    pub fn with_id(self, id: String) -> Self {
        let mut run = self;
        run.id = id;
        run
    }

    /// Returns the run's id: the name of its folder, or the id set with [`with_id`](Self::with_id).
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the run's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the settings and the lock, and opens the run for events.
    ///
    /// `config` contains the resolved settings, without secrets. `order` contains the ids of the
    /// run's samples in the order of the dataset, which is also the order of the rows in
    /// `results.csv`.
    ///
    /// # Errors
    /// Returns [`RunDirError`] if a file cannot be written or locked. After an error, no new folder
    /// is left behind.
    pub fn begin(
        mut self,
        config: &Value,
        lock: Lock,
        order: Vec<String>,
    ) -> Result<RunWriter, RunDirError> {
        atomic::write_json(&self.path.join(CONFIG), config)?;
        atomic::write_json(&self.path.join(LOCK), &lock)?;
        let held = Held::take(&self.path)?;
        let samples = SampleLog::create(self.path.join(SAMPLES))?;
        let trajectories = self.path.join(TRAJECTORIES);
        let made = fs::create_dir(&trajectories).and_then(|()| atomic::sync_folder(&self.path));
        made.map_err(|reason| RunDirError::cannot_write(&trajectories, reason))?;
        self.begun = true;
        Ok(RunWriter::open(
            self.path.clone(),
            held,
            lock.run,
            order,
            samples,
        ))
    }

    fn make(
        &mut self,
        results: &Path,
        benchmark: &str,
        mode: &str,
        started: Timestamp,
    ) -> io::Result<()> {
        /// Maximum number of names to try. With four random digits, a collision is rare.
        const TRIES: usize = 16;
        fs::create_dir_all(results)?;
        for tries in 1.. {
            let id = name::run_id(benchmark, mode, started);
            let path = results.join(&id);
            match fs::create_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {}
                created => {
                    created?;
                    (self.id, self.path) = (id, path);
                    break;
                }
            }
        }
        Ok(())
    }
}

impl Drop for NewRun {
    fn drop(&mut self) {
        if self.begun {
            return;
        }
        // A destructor cannot return an error.
        if !self.id.is_empty() {
            let _ = fs::remove_dir_all(&self.path);
        }
        for folder in self.parents.iter().rev() {
            // This removes only empty folders, so files that others have added are kept.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Writes the files of a run in progress. A failed write does not stop the run; the caller gets the
/// error from [`take_error`](Self::take_error).
#[derive(Debug)]
pub struct RunWriter {
    path: PathBuf,
    identity: RunIdentity,
    order: Vec<String>,
    samples: SampleLog,
    trajectories: Trajectories,
    /// Attempts whose records may not be on disk, by sample and number.
    unsynced: Vec<(String, u32)>,
    compressor: Compressor,
    error: Option<RunDirError>,
    /// Declared last, because fields are dropped in order: the lock is released after all files are
    /// closed.
    _held: Held,
}

impl RunWriter {
    pub(super) fn open(
        path: PathBuf,
        held: Held,
        identity: RunIdentity,
        order: Vec<String>,
        samples: SampleLog,
    ) -> Self {
        Self {
            trajectories: Trajectories::new(path.join(TRAJECTORIES)),
            compressor: Compressor::new(&path),
            path,
            identity,
            order,
            samples,
            unsynced: Vec::new(),
            error: None,
            _held: held,
        }
    }

    /// Returns the run's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Compresses the journals of attempts whose records are on disk, on another thread.
    pub(super) fn compress(&mut self, attempts: Vec<(String, u32)>) {
        self.compressor.add(attempts);
    }

    /// Returns the journals, in which attempts store the responses that they receive.
    pub fn journal(&self) -> Journal {
        Journal::of(&self.path)
    }

    /// Adopts the wasted spending of the run in another folder, including the trajectories in
    /// `unused`, which belong to finished attempts that this run does not adopt.
    ///
    /// # Errors
    /// Returns [`RunDirError`] if a file cannot be read or written.
    pub fn adopt_wasted(&self, other: &Path, unused: &[PathBuf]) -> Result<(), RunDirError> {
        let (all, _) = read_records(&other.join(SAMPLES))?;
        wasted_spend::adopt(&self.path, other, &all, unused)
    }

    /// Returns the error of the first failed write since the last call, if any.
    pub fn take_error(&mut self) -> Option<RunDirError> {
        self.error.take()
    }

    fn keep(&mut self, result: Result<(), RunDirError>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }

    /// Writes `results.csv` and `summary.json`. Reads the records from `samples.jsonl` instead of
    /// memory, so that these files agree with what later commands read.
    fn write_results<S: Serialize>(
        &mut self,
        summary: impl FnOnce(Wasted) -> S,
    ) -> Result<S, RunDirError> {
        let (all, _) = read_records(&self.path.join(SAMPLES))?;
        let summary = summary(wasted_spend::wasted(&self.path, &all, false)?);
        let path = self.path.join(RESULTS);
        let csv = results_csv::to_csv(&self.identity, &latest(all), &self.order);
        match csv {
            Ok(csv) => atomic::write(&path, &csv)?,
            Err(reason) => return Err(RunDirError::Write { path, reason }),
        }
        atomic::write_json(&self.path.join(SUMMARY), &summary)?;
        Ok(summary)
    }
}

impl RunWriter {
    /// Creates the trajectory of an attempt that starts.
    pub fn begin_attempt(&mut self, sample: &str, attempt: u32) {
        let started = self.trajectories.start(sample, attempt);
        self.keep(started);
    }

    /// Appends an event to the trajectory of its attempt.
    pub fn event(&mut self, event: &Event) {
        let written = self.trajectories.write(event);
        self.keep(written);
    }

    /// Records the end of an attempt. The record is guaranteed to be on disk after the next
    /// [`sync`](Self::sync).
    pub fn end_attempt(&mut self, record: &AttemptRecord) {
        // Finish the trajectory first, so that the trajectory of an attempt with a record is
        // complete.
        let finished = self.trajectories.finish(&record.id, record.attempt);
        self.keep(finished);
        // Write the answer next, so that a record never names a missing file.
        let appended = answers::store_long_answer(&self.path, record)
            .and_then(|record| self.samples.append(&record));
        // The journal of an attempt that may continue stays as it is.
        if appended.is_ok() && record.status != Status::Error {
            self.unsynced.push((record.id.clone(), record.attempt));
        }
        self.keep(appended);
    }

    /// Syncs all records to disk. The journals of their attempts are then compressed on another
    /// thread.
    pub fn sync(&mut self) {
        let synced = self.samples.sync();
        if synced.is_ok() {
            self.compressor.add(self.unsynced.drain(..));
        }
        self.keep(synced);
    }

    /// Ends the run, complete or not: closes its trajectories and writes `results.csv` and
    /// `summary.json`. `summary` computes the summary from the wasted spending. Returns the
    /// summary, or `None` if a file cannot be written.
    pub fn finish<S: Serialize>(&mut self, summary: impl FnOnce(Wasted) -> S) -> Option<S> {
        let finished = self.trajectories.finish_all();
        self.keep(finished);
        self.sync();
        self.compressor.finish();
        match self.write_results(summary) {
            Ok(summary) => Some(summary),
            Err(error) => {
                self.keep(Err(error));
                None
            }
        }
    }
}
