//! Errors of the viewer.

use std::io;
use std::path::PathBuf;

use records::run_dir::RunDirError;

/// Reason why the viewer cannot show or export something.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The folder is not a run and cannot be listed.
    #[error("cannot read {}: {reason}", path.display())]
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// The port is in use or not permitted.
    #[error("cannot listen on 127.0.0.1:{port}: {reason}")]
    Listen {
        /// Requested port; 0 for any free port.
        port: u16,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// The server stopped with an error.
    #[error("the server failed: {0}")]
    Serve(io::Error),
    /// A run directory cannot be read.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// The folder does not contain this run, sample, attempt or agent.
    #[error("cannot find {what} `{id}`")]
    NotFound {
        /// Kind of the requested object.
        what: &'static str,
        /// Requested id.
        id: String,
    },
    /// A symbolic link leads to a file outside the folder.
    #[error("{} is outside the displayed folder", path.display())]
    Outside {
        /// The file.
        path: PathBuf,
    },
    /// The search index cannot be read.
    #[error("cannot search {}: {reason}", path.display())]
    Index {
        /// Path of the index.
        path: PathBuf,
        /// Reason of the failure.
        reason: String,
    },
    /// A parameter of a request is missing or invalid.
    #[error("parameter `{name}`: {problem}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// Description of the problem and of valid values.
        problem: String,
    },
    /// A folder to export contains no run or several.
    #[error("{} contains {runs} runs, but a page shows only one", path.display())]
    NotOneRun {
        /// Path of the folder.
        path: PathBuf,
        /// Number of runs in the folder.
        runs: usize,
    },
    /// The page cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Export {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
}

impl ViewError {
    /// Creates the error for an unknown id.
    pub(super) fn not_found(what: &'static str, id: impl Into<String>) -> Self {
        let id = id.into();
        Self::NotFound { what, id }
    }
}
