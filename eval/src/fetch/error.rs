//! Errors of fetching benchmark data.

use std::io;
use std::path::PathBuf;

/// Reason why data was not fetched. Partial downloads are kept for the next fetch.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The HTTP client cannot be created.
    #[error("cannot create an HTTP client: {0}")]
    Client(String),
    /// The server rejected the request.
    #[error("{url} responded with status {status}")]
    Status {
        /// Requested URL.
        url: String,
        /// HTTP status of the response.
        status: u16,
    },
    /// The server cannot be reached or fails repeatedly.
    #[error("cannot fetch {url}: {reason}")]
    Transport {
        /// Requested URL.
        url: String,
        /// Cause of the last failure.
        reason: String,
    },
    /// The file list of a dataset is malformed or lacks the expected files.
    #[error("invalid list of the dataset's files at {url}: {problem}")]
    Listing {
        /// URL of the list.
        url: String,
        /// Problem with the list.
        problem: String,
    },
    /// The downloaded file had the wrong checksum and was deleted.
    #[error("{url} has the checksum {found} instead of {wanted}; the file was deleted")]
    Checksum {
        /// URL of the file.
        url: String,
        /// SHA-256 of the download, in hex.
        found: String,
        /// Expected SHA-256, in hex.
        wanted: String,
    },
    /// The folder exists but was not created by a fetch.
    #[error("{} already exists but was not fetched; move it away, or use it with --data-dir", folder.display())]
    Foreign {
        /// Path of the folder.
        folder: PathBuf,
    },
    /// A fetched file was changed.
    #[error("{} has changed since it was fetched; remove its folder and fetch the data again", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// Path of the file or folder.
        path: PathBuf,
        /// Error reported by the system.
        reason: io::Error,
    },
}
