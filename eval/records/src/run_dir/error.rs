//! Why a run directory cannot be made, written or read.

use std::io;
use std::path::PathBuf;

use super::Holder;

/// Why a run directory cannot be made, written or read.
#[derive(Debug, thiserror::Error)]
pub enum RunDirError {
    /// The folder of a new run cannot be made.
    #[error("cannot create a run directory in {}: {reason}", folder.display())]
    Create {
        /// The folder that was to hold it.
        folder: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// What is to hold runs is a file.
    #[error("cannot create a run directory in {}: it is not a folder", path.display())]
    NotAFolder {
        /// The file.
        path: PathBuf,
    },
    /// Another process works on the run.
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
        /// Which, unless it has come this very moment.
        holder: Option<Holder>,
    },
    /// A run cannot be kept from other processes.
    #[error("cannot lock {}: {reason}", path.display())]
    Lock {
        /// The file that is locked.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// A file of the run is a link, which may lead anywhere.
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
        /// What the system says.
        reason: io::Error,
    },
    /// A file of the run cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// The file of a long answer cannot be read.
    #[error("cannot read the answer of attempt {attempt} at {id:?} in {}: {reason}", path.display())]
    Answer {
        /// The file.
        path: PathBuf,
        /// The sample.
        id: String,
        /// 1-based.
        attempt: u32,
        /// What the system says.
        reason: io::Error,
    },
    /// A folder holds no run.
    #[error("{} is not a run directory: it has no {missing}", path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
        /// The file that it lacks.
        missing: &'static str,
    },
    /// A file does not hold what it should. The reason ends in line and column.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: serde_json::Error,
    },
    /// A line before the last of a file is not what it should be.
    #[error("{}:{line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// 1-based.
        line: usize,
        /// What is wrong.
        reason: LineError,
    },
    /// A fingerprint is not that of its parts, or two files of a run name different ones.
    #[error("{}: {field} is {found}, but {why}; restore the file, or start a new run", path.display())]
    Fingerprint {
        /// The file.
        path: PathBuf,
        /// The field that contradicts another.
        field: &'static str,
        /// The beginning of what it holds.
        found: String,
        /// What it contradicts, as a clause.
        why: String,
    },
    /// A file was written by a later version of this program.
    #[error("{} has schema version {found}, this program reads up to {known}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The latest version that can be read.
        known: u32,
    },
}

/// What is wrong with a line of a JSON Lines file.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// It is not JSON, or not JSON of its form.
    #[error("not {what}: {problem} at column {column}")]
    Malformed {
        /// What it should be, with its article.
        what: &'static str,
        /// What is wrong.
        problem: String,
        /// 1-based, in bytes.
        column: usize,
    },
    /// It was written by a later version of this program.
    #[error("record of schema version {found}, this program reads up to {known}")]
    Version {
        /// The line's version.
        found: u32,
        /// The latest version that can be read.
        known: u32,
    },
}
