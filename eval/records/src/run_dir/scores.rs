//! `scores/<scorer>.jsonl`: scores of a run's answers by another scorer.
//!
//! While a judge is working, `scores/<scorer>.unfinished.jsonl` keeps its verdicts, so that a paid
//! verdict survives the process that requested it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::links::{self, without_links};
use super::wasted_spend::{Callers, spent_in};
use super::{RunDirError, SCORES, atomic};
use crate::Spent;

/// Returns the path of a scorer's file. A `/` in the scorer's name becomes `-`.
fn file(run: &Path, scorer: &str, ending: &str) -> PathBuf {
    let name = scorer.replace('/', "-");
    run.join(SCORES).join(format!("{name}{ending}"))
}

/// Writes a file of scores, one per line, and returns its path. It replaces an earlier file of the
/// same scorer and never changes the run itself.
///
/// # Errors
/// Returns [`RunDirError::Write`] if the file cannot be written.
pub fn write_scores(
    run: &Path,
    scorer: &str,
    lines: &[impl Serialize],
) -> Result<PathBuf, RunDirError> {
    let path = file(run, scorer, ".jsonl");
    let failed = |reason| RunDirError::Write {
        path: path.clone(),
        reason,
    };
    fs::create_dir_all(run.join(SCORES)).map_err(failed)?;
    let mut bytes = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut bytes, line).map_err(|error| failed(error.into()))?;
        bytes.push(b'\n');
    }
    atomic::write(&path, &bytes)?;
    Ok(path)
}

/// Journal of a judge: verdicts and usage so far. One process at a time may open it.
pub struct ScoreJournal {
    path: PathBuf,
    file: File,
}

impl ScoreJournal {
    /// Opens the journal of a scorer. Returns it with the lines of type `T` from earlier starts,
    /// and the total spending of all its events.
    ///
    /// # Errors
    /// Returns [`RunDirError::Held`] if another process has it open, and [`RunDirError::Read`] or
    /// [`RunDirError::Write`] for other failures.
    pub fn open<T: DeserializeOwned>(
        run: &Path,
        scorer: &str,
    ) -> Result<(Self, Vec<T>, Spent), RunDirError> {
        let path = file(run, scorer, ".unfinished.jsonl");
        let cannot = |reason| RunDirError::Write {
            path: path.clone(),
            reason,
        };
        fs::create_dir_all(run.join(SCORES)).map_err(cannot)?;
        links::check(&run.join(SCORES))?;
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let file = without_links(&mut options).open(&path).map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RunDirError::Held { path, holder: None }),
            Err(TryLockError::Error(reason)) => return Err(RunDirError::Lock { path, reason }),
        }
        let mut kept = Vec::new();
        let mut is_torn = false;
        let mut lines = BufReader::new(&file);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).map_err(cannot)? > 0 {
            kept.extend(serde_json::from_slice(&line).ok());
            is_torn = !line.ends_with(b"\n");
            line.clear();
        }
        if is_torn {
            // A killed process may have left half a line, so the next line must start on a new one.
            (&file).write_all(b"\n").map_err(cannot)?;
        }
        let spent = spent_in(&path, Callers::AgentsAndJudges)?;
        Ok((Self { path, file }, kept, spent))
    }

    /// Appends a line. With `sync`, the line is on disk when this returns.
    ///
    /// # Errors
    /// Returns [`RunDirError::Write`] if the line cannot be written.
    pub fn append(&self, line: &impl Serialize, sync: bool) -> Result<(), RunDirError> {
        let written = serde_json::to_vec(line)
            .map_err(Into::into)
            .and_then(|mut bytes| {
                bytes.push(b'\n');
                (&self.file).write_all(&bytes)?;
                if sync {
                    self.file.sync_data()?;
                }
                Ok(())
            });
        written.map_err(|reason| RunDirError::Write {
            path: self.path.clone(),
            reason,
        })
    }

    /// Removes the journal once the scores are in their own file.
    ///
    /// # Errors
    /// Returns [`RunDirError::Write`] if the file cannot be removed.
    pub fn remove(self) -> Result<(), RunDirError> {
        let Self { path, file: _ } = self;
        fs::remove_file(&path).map_err(|reason| RunDirError::Write { path, reason })
    }
}
