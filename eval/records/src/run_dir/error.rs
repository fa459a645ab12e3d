//! Errors of creating, writing and reading run directories.

use std::io;
use std::path::{Path, PathBuf};

use super::Holder;

/// Reason why a run directory cannot be created, written or read.
#[derive(Debug, thiserror::Error)]
pub enum RunDirError {
    /// The folder of a new run cannot be created.
    #[error("cannot create a run directory in {}: {reason}", folder.display())]
    Create {
        /// Parent of the new folder, or the path chosen for it.
        folder: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// A parent of the new folder is a file.
    #[error("cannot create a run directory in {}: it is not a folder", path.display())]
    NotAFolder {
        /// The file.
        path: PathBuf,
    },
    /// Another process is working on the run.
    #[error("{} is in use{}", path.display(), match holder {
        Some(holder) => format!(
            " by process {} on {} since {}",
            holder.pid, holder.host, holder.since
        ),
        None => " by another process".to_owned(),
    })]
    Held {
        /// The run's folder.
        path: PathBuf,
        /// The other process, or `None` if it has not written `running.json` yet.
        holder: Option<Holder>,
    },
    /// The run cannot be locked against other processes.
    #[error("cannot lock {}: {reason}", path.display())]
    Lock {
        /// The file `lock.json`, or the journal of a scorer.
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// The run's folder contains a link, whose target may be outside the folder.
    #[error("{} is a link: expected a regular file or folder, because a resumed run writes there", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A file of the run cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// A file of the run cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// The file of a long answer cannot be read.
    #[error("cannot read the answer of attempt {attempt} at {id:?} in {}: {reason}", path.display())]
    Answer {
        /// The file.
        path: PathBuf,
        /// The sample.
        id: String,
        /// Number of the attempt, 1-based.
        attempt: u32,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// The folder is not a run directory.
    #[error("{} is not a run directory: {missing} is missing", path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
        /// Name of the missing file.
        missing: &'static str,
    },
    /// The run has no scores by this scorer.
    #[error("{} has no scores by `{scorer}`{}", path.display(), match known.as_slice() {
        [] => "; create them with `rlm-eval score`".to_owned(),
        known => format!("; it has scores by {}", known.join(", ")),
    })]
    NoScores {
        /// The run's folder.
        path: PathBuf,
        /// Name of the scorer as given.
        scorer: String,
        /// Names of the additional scorers that have scored the run.
        known: Vec<String>,
    },
    /// A scorer has not scored the latest record of an attempt.
    #[error("{}: attempt {attempt} at {id:?} is newer than these scores; run `rlm-eval score` again", path.display())]
    OldScores {
        /// File of the scores.
        path: PathBuf,
        /// The sample.
        id: String,
        /// Number of the attempt, 1-based.
        attempt: u32,
    },
    /// A file does not have the expected content. The reason ends with line and column.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Error of the parser.
        reason: serde_json::Error,
    },
    /// A complete line of a JSON Lines file is invalid.
    #[error("{}:{line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, 1-based.
        line: usize,
        /// Reason why the line is invalid.
        reason: LineError,
    },
    /// The fingerprint does not match its parts, or the run's files contain different fingerprints.
    #[error("{}: {field} is {found}, but {why}; restore the file, or start a new run", path.display())]
    Fingerprint {
        /// The file.
        path: PathBuf,
        /// Path of the contradictory field, such as `run.fingerprint`.
        field: &'static str,
        /// Beginning of the field's value.
        found: String,
        /// What the value contradicts, as a clause: `the hash of fingerprint.parts is …`.
        why: String,
    },
    /// The file was written by a later version of this program.
    #[error("{} has schema version {found}, but this program reads only versions up to {known}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Version of the file.
        found: u32,
        /// Latest version that this program reads.
        known: u32,
    },
}

impl RunDirError {
    /// Creates the error for a file or folder that cannot be written.
    pub fn cannot_write(path: &Path, reason: io::Error) -> Self {
        Self::Write {
            path: path.to_owned(),
            reason,
        }
    }

    /// Creates the error for a file or folder that cannot be read.
    pub fn cannot_read(path: &Path, reason: io::Error) -> Self {
        Self::Read {
            path: path.to_owned(),
            reason,
        }
    }
}

/// Reason why a line of a JSON Lines file is invalid.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The line is not JSON, or lacks the expected fields.
    #[error("not {what}: {problem} at column {column}")]
    Malformed {
        /// The expected content, with its article.
        what: &'static str,
        /// Error of the parser, without the position.
        problem: String,
        /// Column in bytes, 1-based.
        column: usize,
    },
    /// The line was written by a later version of this program.
    #[error("record of schema version {found}, but this program reads only versions up to {known}")]
    Version {
        /// Version of the line.
        found: u32,
        /// Latest version that this program reads.
        known: u32,
    },
}
