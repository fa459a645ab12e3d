//! Writes a run as it happens.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use model::Event;
use serde::Serialize;
use serde_json::Value;

use super::hold::Held;
use super::samples::{SampleLog, latest, read_records, superseded};
use super::trajectories::Trajectories;
use super::{
    CONFIG, Journal, LOCK, Lock, RESULTS, RunDirError, SAMPLES, SUMMARY, TRAJECTORIES, answers,
    atomic, name, results_csv, wasted_spend,
};
use crate::{AttemptRecord, RunIdentity, Wasted};

/// The folder of a run that has not begun. Dropped before [`begin`](Self::begin), it leaves nothing behind.
#[derive(Debug)]
pub struct NewRun {
    id: String,
    path: PathBuf,
    /// Folders that were made for it, outermost first, itself not among them.
    parents: Vec<PathBuf>,
    begun: bool,
}

impl NewRun {
    /// Makes the folder `<results>/<benchmark>-<mode>-<yyyymmdd-hhmmss>-<4 hex>`, and `results` where it is missing.
    /// A folder that exists is never taken.
    ///
    /// # Errors
    /// [`RunDirError::NotAFolder`] if there is a file in its place, [`RunDirError::Create`] if a folder cannot be made
    /// there; nothing is left behind.
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
        let mut run = Self::nowhere(results);
        run.make(results, benchmark, mode, started)
            .map_err(|reason| RunDirError::Create {
                folder: results.to_owned(),
                reason,
            })?;
        Ok(run)
    }

    /// Makes the folder of a run at a place that was chosen, and the folders above it. Its name becomes the run's id.
    ///
    /// # Errors
    /// [`RunDirError::Create`] if something is there already, or the folder cannot be made; nothing is left behind.
    pub fn create_at(path: &Path) -> Result<Self, RunDirError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut run = Self::nowhere(folder);
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
        // Only now: what is dropped before it begins removes its folder.
        path.clone_into(&mut run.path);
        run.id = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(run)
    }

    /// A run that has no folder yet, and is to have one in this one.
    fn nowhere(folder: &Path) -> Self {
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

    /// The same with an id that distinguishes it from runs in other folders of the same name.
    #[must_use]
    pub fn with_id(self, id: String) -> Self {
        let mut run = self;
        run.id = id;
        run
    }

    /// The run's id: the name of its folder, unless another was chosen.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what is known before the first attempt, and opens the run for events.
    ///
    /// `config` is the resolved settings, without secrets. `order` is the ids of the run's samples in the order of the
    /// dataset, by which the rows of the CSV go.
    ///
    /// # Errors
    /// [`RunDirError::Write`] if a file cannot be written; nothing is left behind.
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
        made.map_err(|reason| RunDirError::Write {
            path: trajectories.clone(),
            reason,
        })?;
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
        /// Names tried before giving up; with four random digits, one that is taken is rare.
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
        // A failure here cannot be returned, and the failure that led here has been reported.
        if !self.id.is_empty() {
            let _ = fs::remove_dir_all(&self.path);
        }
        for folder in self.parents.iter().rev() {
            // Removes empty folders only: what others have put there in the meantime stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Stores a run as it goes on. A failure to write ends nothing; whoever runs it asks for it.
#[derive(Debug)]
pub struct RunWriter {
    path: PathBuf,
    identity: RunIdentity,
    order: Vec<String>,
    samples: SampleLog,
    trajectories: Trajectories,
    error: Option<RunDirError>,
    /// Last, so that the run is let go of when all files are closed.
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
            path,
            identity,
            order,
            samples,
            error: None,
            _held: held,
        }
    }

    /// The run's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where its attempts keep what they receive.
    pub fn journal(&self) -> Journal {
        Journal::of(&self.path)
    }

    /// Takes over what the run in another folder spent for nothing, `unused` trajectories of its attempts among it.
    ///
    /// # Errors
    /// [`RunDirError`] if it cannot be read or written.
    pub fn adopt_wasted(&self, other: &Path, unused: &[PathBuf]) -> Result<(), RunDirError> {
        let (all, _) = read_records(&other.join(SAMPLES))?;
        wasted_spend::adopt(&self.path, other, &all, unused)
    }

    /// The first failure to write since the last call, if there was one.
    pub fn take_error(&mut self) -> Option<RunDirError> {
        self.error.take()
    }

    fn keep(&mut self, result: Result<(), RunDirError>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }

    /// Writes what is made from `samples.jsonl`, and not from memory: the file is what later commands see.
    fn write_results<S: Serialize>(
        &mut self,
        summary: impl FnOnce(Wasted) -> S,
    ) -> Result<S, RunDirError> {
        let (all, _) = read_records(&self.path.join(SAMPLES))?;
        let summary = summary(wasted_spend::wasted(
            &self.path,
            &all,
            &superseded(&all),
            false,
        )?);
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
    /// An attempt begins.
    pub fn begin_attempt(&mut self, sample: &str, attempt: u32) {
        let started = self.trajectories.start(sample, attempt);
        self.keep(started);
    }

    /// Something happened within an attempt.
    pub fn event(&mut self, event: &Event) {
        let written = self.trajectories.write(event);
        self.keep(written);
    }

    /// An attempt ended. Its record is on the disk after the next [`sync`](Self::sync).
    pub fn end_attempt(&mut self, record: &AttemptRecord) {
        // The trajectory first: an attempt with a line has all of its events.
        let finished = self.trajectories.finish(&record.id, record.attempt);
        self.keep(finished);
        // Its answer next: a line never names a file that is not there.
        let appended =
            answers::set_apart(&self.path, record).and_then(|record| self.samples.append(&record));
        self.keep(appended);
    }

    /// Waits until the disk has all records.
    pub fn sync(&mut self) {
        let synced = self.samples.sync();
        self.keep(synced);
    }

    /// The run ended, complete or not. Gives the summary as it was stored: with what was spent for nothing.
    pub fn finish<S: Serialize>(&mut self, summary: impl FnOnce(Wasted) -> S) -> Option<S> {
        let finished = self.trajectories.finish_all();
        self.keep(finished);
        self.sync();
        match self.write_results(summary) {
            Ok(summary) => Some(summary),
            Err(error) => {
                self.keep(Err(error));
                None
            }
        }
    }
}
