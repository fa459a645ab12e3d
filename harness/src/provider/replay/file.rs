//! Reads the files of a recording, and describes what is wrong with them.

use std::fmt::Display;
use std::io;
use std::path::Path;

use crate::text::{self, MAX_RECORDING_BYTES, read_file};

/// Error when opening a recording: it is unreadable, empty, or of an unknown format.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ReplayError(pub(super) String);

impl ReplayError {
    /// Returns the error of a file or folder that cannot be read.
    pub fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self(format!(
            "cannot read the recording {}: {error}",
            path.display()
        ))
    }
}

pub(super) fn format_error(path: &Path, problem: impl Display) -> ReplayError {
    ReplayError(format!(
        "{} is not a recording: {problem}; expected a run directory of `rlm-eval run`, a cassette of --record, or a result file of the \
         JavaScript system (an object with `benchmark`, `model` and `results[].trace[].reasoning`)",
        path.display()
    ))
}

pub(super) fn read_text(path: &Path) -> Result<String, ReplayError> {
    let read = text::read_text(path, MAX_RECORDING_BYTES);
    read.map_err(|error| ReplayError::unreadable(path, &error))
}

/// Reads a file as bytes, because a truncated line may end within a character, while the other
/// lines are valid.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, ReplayError> {
    let read = read_file(path, MAX_RECORDING_BYTES);
    read.map_err(|error| ReplayError::unreadable(path, &error))
}

/// Returns the lines of a file. A newline at the end does not start another line.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    whole.split(|byte| *byte == b'\n')
}
