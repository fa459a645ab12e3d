//! Errors of fetching benchmark data.

use std::io;
use std::path::Path;

/// Reason why data was not fetched. Partial downloads are kept for the next fetch.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct FetchError(pub(super) String);

impl FetchError {
    /// Creates the error for a file or folder that cannot be written.
    pub(super) fn write(path: &Path, reason: &io::Error) -> Self {
        Self(format!("cannot write {}: {reason}", path.display()))
    }
}
