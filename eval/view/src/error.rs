//! Errors of the viewer.

use std::io;
use std::path::{Path, PathBuf};

use records::run_dir::RunDirError;

/// Reason why the viewer cannot show or export something.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The displayed folder, or a file or folder in it, cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// The server cannot listen on the port, for example because it is in use.
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
    /// A run directory cannot be read, or an exported page cannot be written.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// The requested object, such as a run or an agent, does not exist in the folder.
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
        /// Path of the link.
        path: PathBuf,
    },
    /// The search index cannot be read.
    #[error("cannot search {}: {reason}", path.display())]
    Index {
        /// Path of the index.
        path: PathBuf,
        /// Message of the underlying error.
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
    /// The folder to export does not contain exactly one run.
    #[error("{} contains {runs} runs; expected exactly one", path.display())]
    NotOneRun {
        /// Path of the folder.
        path: PathBuf,
        /// Number of runs in the folder.
        runs: usize,
    },
}

impl ViewError {
    /// Creates the error for a folder or file that cannot be read.
    pub(super) fn folder(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |reason| Self::Folder {
            path: path.to_owned(),
            reason,
        }
    }

    /// Creates the error for a missing or invalid parameter.
    pub(super) fn parameter(name: &'static str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::Parameter { name, problem }
    }

    /// Creates the error for an unknown id.
    pub(super) fn not_found(what: &'static str, id: impl Into<String>) -> Self {
        let id = id.into();
        Self::NotFound { what, id }
    }
}
