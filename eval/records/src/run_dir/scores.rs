//! `scores/<scorer>.jsonl`: scores of a run's answers by another scorer.
//!
//! While a judge is working, `scores/<scorer>.unfinished.jsonl` keeps its verdicts, so that a paid
//! verdict survives the process that requested it.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use model::Status;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::links::{self, without_links};
use super::wasted_spend::{Callers, spent_in};
use super::{Fingerprint, RunDir, RunDirError, SCORES, atomic, if_exists};
use crate::{AttemptRecord, JudgeUse, Spent};

/// Returns the path of a scorer's file. A `/` in the scorer's name becomes `-`.
fn file(run: &Path, scorer: &str, ending: &str) -> PathBuf {
    let name = scorer.replace('/', "-");
    run.join(SCORES).join(format!("{name}{ending}"))
}

/// Version of the lines in a file of scores.
const SCORES_VERSION: u32 = 1;

/// Writes the new scores of all attempts of a run to the scorer's file, one per line, and returns
/// the path. Replaces an earlier file of the same scorer; the run's other files are unchanged.
///
/// # Errors
/// Returns [`RunDirError::Write`] if the file cannot be written.
pub fn write_scores(
    run: &RunDir,
    rescored: &[AttemptRecord],
    scorer: &str,
) -> Result<PathBuf, RunDirError> {
    let lines = run.records.iter().zip(rescored);
    let lines: Vec<ScoreLine> = lines
        .map(|(recorded, new)| ScoreLine {
            v: SCORES_VERSION,
            run_id: new.run_id.clone(),
            id: new.id.clone(),
            attempt: new.attempt,
            status: new.status,
            scorer: scorer.to_owned(),
            score: new.score,
            score_explanation: new.score_explanation.clone(),
            score_details: new.score_details.clone(),
            judge: new.judge.clone(),
            error: new.error.clone(),
            recorded_scorer: run.lock.run.scorer.clone(),
            recorded_score: recorded.score,
        })
        .collect();
    let path = file(&run.path, scorer, ".jsonl");
    let written =
        fs::create_dir_all(run.path.join(SCORES)).and_then(|()| atomic::write_lines(&path, &lines));
    match written {
        Ok(()) => Ok(path),
        Err(reason) => Err(RunDirError::Write { path, reason }),
    }
}

/// New score of an attempt: a line of a file of scores.
#[derive(Serialize, Deserialize)]
struct ScoreLine {
    #[serde(default)]
    v: u32,
    #[serde(default)]
    run_id: String,
    id: String,
    attempt: u32,
    status: Status,
    scorer: String,
    score: Option<f64>,
    score_explanation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_details: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<JudgeUse>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default)]
    recorded_scorer: String,
    recorded_score: Option<f64>,
}

impl RunDir {
    /// Replaces the run's scores with those that `rlm-eval score` added for a scorer, given by name
    /// with or without version. For the run's own scorer, the scores are unchanged, unless
    /// `rlm-eval score` has added scores by it.
    ///
    /// # Errors
    /// Returns [`RunDirError::NoScores`] if the scorer has not scored the run or the name is
    /// ambiguous, [`RunDirError::OldScores`] if an attempt is newer than the scores, and another
    /// error if the file cannot be read or is malformed.
    pub fn with_scores(mut self, scorer: &str) -> Result<Self, RunDirError> {
        let files = score_files(&self.path)?;
        let is_exact = |found: &&(String, PathBuf)| found.0 == scorer;
        let is_short = |found: &&(String, PathBuf)| without_version(&found.0) == scorer;
        let mut short = files.iter().filter(is_short);
        let found = files
            .iter()
            .find(is_exact)
            .or_else(|| match (short.next(), short.next()) {
                (Some(found), None) => Some(found),
                // Several versions of the scorer match, so the name is ambiguous.
                _ => None,
            });
        let own = &self.lock.run.scorer;
        let Some((name, path)) = found else {
            if own == scorer || without_version(own) == scorer {
                return Ok(self);
            }
            return Err(RunDirError::NoScores {
                path: self.path,
                scorer: scorer.to_owned(),
                known: files.into_iter().map(|(name, _)| name).collect(),
            });
        };
        let mut lines: BTreeMap<(String, u32), ScoreLine> = BTreeMap::new();
        for line in score_lines(path)? {
            lines.insert((line.id.clone(), line.attempt), line);
        }
        for record in &mut self.records {
            let line = lines.remove(&(record.id.clone(), record.attempt));
            let line = line.filter(|line| line.recorded_score == record.score);
            let Some(line) = line else {
                return Err(RunDirError::OldScores {
                    path: path.clone(),
                    id: record.id.clone(),
                    attempt: record.attempt,
                });
            };
            record.status = line.status;
            record.score = line.score;
            record.score_explanation = line.score_explanation;
            record.score_details = line.score_details;
            record.judge = line.judge;
            record.error = line.error;
        }
        let mut parts = self.lock.fingerprint.parts().clone();
        if let Some(part) = parts.get_mut("scorer") {
            *part = name.as_str().into();
        }
        self.lock.fingerprint = Fingerprint::from_parts(parts);
        let fingerprint = self.lock.fingerprint.as_str();
        fingerprint.clone_into(&mut self.lock.run.fingerprint);
        self.lock.run.scorer.clone_from(name);
        Ok(self)
    }

    /// Returns the names of the scorers whose scores `rlm-eval score` added, sorted.
    ///
    /// # Errors
    /// Returns [`RunDirError::Read`] if a file of scores cannot be read, and
    /// [`RunDirError::Malformed`] if its first line is invalid.
    pub fn later_scorers(&self) -> Result<Vec<String>, RunDirError> {
        let files = score_files(&self.path)?;
        Ok(files.into_iter().map(|(scorer, _)| scorer).collect())
    }
}

/// Returns a scorer's name without its version: `exact` for `exact/2`.
fn without_version(scorer: &str) -> &str {
    scorer.rsplit_once('/').map_or(scorer, |(name, _)| name)
}

/// Returns the score files of a run, each with the name of its scorer.
fn score_files(run: &Path) -> Result<Vec<(String, PathBuf)>, RunDirError> {
    let folder = run.join(SCORES);
    let entries = if_exists(fs::read_dir(&folder));
    let entries = entries.map_err(|reason| RunDirError::cannot_read(&folder, reason))?;
    let mut files = Vec::new();
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let stem = name.strip_suffix(".jsonl");
        if stem.is_none_or(|stem| stem.ends_with(".unfinished")) {
            continue;
        }
        // Skip the empty score file of a run without attempts.
        let path = entry.path();
        if let Some(scorer) = scorer_of(&path)? {
            files.push((scorer, path));
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the scorer named in the first line of a score file, or `None` if the file is empty.
fn scorer_of(path: &Path) -> Result<Option<String>, RunDirError> {
    let failed = |reason| RunDirError::cannot_read(path, reason);
    let file = File::open(path).map_err(failed)?;
    let mut line = String::new();
    if BufReader::new(file).read_line(&mut line).map_err(failed)? == 0 {
        return Ok(None);
    }
    let line: ScoreLine = serde_json::from_str(&line).map_err(|reason| RunDirError::Malformed {
        path: path.to_owned(),
        reason,
    })?;
    Ok(Some(line.scorer))
}

fn score_lines(path: &Path) -> Result<Vec<ScoreLine>, RunDirError> {
    let text = fs::read_to_string(path).map_err(|reason| RunDirError::cannot_read(path, reason))?;
    let lines = text.lines().map(|line| {
        serde_json::from_str(line).map_err(|reason| RunDirError::Malformed {
            path: path.to_owned(),
            reason,
        })
    });
    lines.collect()
}

/// Journal of a judge that is working: its verdicts and spending so far. Only one process at a time
/// can open it.
pub struct ScoreJournal {
    path: PathBuf,
    file: File,
}

impl ScoreJournal {
    /// Opens the journal of a scorer. Returns the journal, the lines of earlier starts that parse
    /// as `T`, and the total spending of all events in it.
    ///
    /// # Errors
    /// Returns [`RunDirError::Held`] if another process has opened the journal, and another error
    /// if it cannot be locked, read or written, or if a file is a link.
    pub fn open<T: DeserializeOwned>(
        run: &Path,
        scorer: &str,
    ) -> Result<(Self, Vec<T>, Spent), RunDirError> {
        let path = file(run, scorer, ".unfinished.jsonl");
        let cannot = |reason| RunDirError::cannot_write(&path, reason);
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
            // End the truncated line that a killed process has left.
            (&file).write_all(b"\n").map_err(cannot)?;
        }
        let spent = spent_in(&path, Callers::AgentsAndJudges)?;
        Ok((Self { path, file }, kept, spent))
    }

    /// Appends a line. With `sync`, waits until the line is on disk.
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
        written.map_err(|reason| RunDirError::cannot_write(&self.path, reason))
    }

    /// Removes the journal after the scores have been written to their own file.
    ///
    /// # Errors
    /// Returns [`RunDirError::Write`] if the file cannot be removed.
    pub fn remove(self) -> Result<(), RunDirError> {
        let Self { path, file: _ } = self;
        fs::remove_file(&path).map_err(|reason| RunDirError::Write { path, reason })
    }
}
