//! `scores/<scorer>.jsonl`: what the answers of a run score by another scorer; and, while a judge is at work on them,
//! `scores/<scorer>.unfinished.jsonl`, so that a verdict which was paid for outlives the process that asked for it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::links::{self, without_links};
use super::wasted_spend::{Callers, spent_in};
use super::{RunDirError, SCORES, atomic};
use crate::Spent;

/// The file of a scorer in the folder of scores. A `/` in the scorer's name becomes `-`.
fn file(run: &Path, scorer: &str, ending: &str) -> PathBuf {
    let name = scorer.replace('/', "-");
    run.join(SCORES).join(format!("{name}{ending}"))
}

/// Writes a file of scores, one line each, and gives its path. What an earlier scoring by the same scorer has left is
/// replaced; the run itself is never touched.
///
/// # Errors
/// [`RunDirError::Write`].
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

/// What a judge has said and taken so far: lines that are synced as they come. One process at a time.
pub struct ScoreJournal {
    path: PathBuf,
    file: File,
}

impl ScoreJournal {
    /// Opens the journal of a scorer, and gives the lines of the form `T` that earlier starts have left there, and what all of
    /// its events say was spent.
    ///
    /// # Errors
    /// [`RunDirError::Held`] if another process is at work on it; [`RunDirError::Read`] or [`RunDirError::Write`].
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
            // A process that was killed has left half a line: the next one begins anew.
            (&file).write_all(b"\n").map_err(cannot)?;
        }
        let spent = spent_in(&path, Callers::AgentsAndJudges)?;
        Ok((Self { path, file }, kept, spent))
    }

    /// Appends a line; with `sync` it is on the disk when this returns.
    ///
    /// # Errors
    /// [`RunDirError::Write`].
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

    /// Removes it: the scores are in their own file.
    ///
    /// # Errors
    /// [`RunDirError::Write`].
    pub fn remove(self) -> Result<(), RunDirError> {
        let Self { path, file: _ } = self;
        fs::remove_file(&path).map_err(|reason| RunDirError::Write { path, reason })
    }
}
