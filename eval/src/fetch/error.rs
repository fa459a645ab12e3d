//! What can go wrong while data is fetched.

use std::io;
use std::path::PathBuf;

/// Why data was not fetched. What is already here stays, and the next fetch goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// No HTTP client can be made.
    #[error("cannot create an HTTP client: {0}")]
    Client(String),
    /// The server refuses the request.
    #[error("{url} answers with status {status}")]
    Status {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The server cannot be reached, or keeps on failing.
    #[error("cannot fetch {url}: {reason}")]
    Transport {
        /// The address.
        url: String,
        /// Why, the last time.
        reason: String,
    },
    /// The list of a dataset's files is none, or has none of the files.
    #[error("{url} is not a list of the dataset's files: {problem}")]
    Listing {
        /// The address.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The file is another one than was to be fetched. It is thrown away.
    #[error("{url} has the checksum {found}, and not {wanted}; the file was deleted")]
    Checksum {
        /// The address.
        url: String,
        /// SHA-256 as it is, hex.
        found: String,
        /// SHA-256 as it should be, hex.
        wanted: String,
    },
    /// The folder is not one that a fetch left.
    #[error("{} is there already and was not fetched; move it away, or use it with --data-dir", folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
    },
    /// A file is no longer what was fetched.
    #[error("{} is not what was fetched; remove its folder and fetch again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The disk.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
}
