//! Reads the files of a recording, and describes what is wrong with them.

use std::path::{Path, PathBuf};

use crate::text::{self, MAX_RECORDING_BYTES, read_file};

/// Error when opening a recording.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The recording cannot be read.
    #[error("cannot read the recording {}: {source}", .path.display())]
    Read {
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The format of the recording is unknown.
    #[error(
        "{} is not a recording: {problem}; expected a run directory of `rlm-eval run`, a cassette of --record, or a result file of the \
         JavaScript system (an object with `benchmark`, `model` and `results[].trace[].reasoning`)",
        .path.display()
    )]
    Format {
        /// Path of the file or folder.
        path: PathBuf,
        /// Description of the problem and its place.
        problem: String,
    },
    /// The recording contains no responses.
    #[error("the recording {} contains no responses", .0.display())]
    Empty(PathBuf),
}

pub(super) fn format_error(path: &Path, problem: impl Into<String>) -> ReplayError {
    ReplayError::Format {
        path: path.to_owned(),
        problem: problem.into(),
    }
}

pub(super) fn read_text(path: &Path) -> Result<String, ReplayError> {
    text::read_text(path, MAX_RECORDING_BYTES).map_err(|source| ReplayError::Read {
        path: path.to_owned(),
        source,
    })
}

/// Reads a file as bytes, because a truncated line may end within a character, while the other
/// lines are valid.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, ReplayError> {
    read_file(path, MAX_RECORDING_BYTES).map_err(|source| ReplayError::Read {
        path: path.to_owned(),
        source,
    })
}

/// Returns the lines of a file. A newline at the end does not start another line.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    whole.split(|byte| *byte == b'\n')
}
