//! Why the viewer cannot show something.

use std::io;
use std::path::PathBuf;

use records::run_dir::RunDirError;

/// Why the viewer cannot show something.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The folder is neither a run nor can it be listed.
    #[error("cannot read {}: {reason}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// The port is taken, or may not be used.
    #[error("cannot listen on 127.0.0.1:{port}: {reason}")]
    Listen {
        /// The port as asked for; 0 for any.
        port: u16,
        /// What the system says.
        reason: io::Error,
    },
    /// The server failed.
    #[error("the server failed: {0}")]
    Serve(io::Error),
    /// A run directory cannot be read.
    #[error(transparent)]
    Run(#[from] RunDirError),
    /// The folder holds no such run, sample, attempt or agent.
    #[error("there is no {what} `{id}` here")]
    NotFound {
        /// What was asked for.
        what: &'static str,
        /// Its id as asked for.
        id: String,
    },
    /// A file lies outside the folder, behind a symbolic link.
    #[error("{} is outside of the folder that is shown", path.display())]
    Outside {
        /// The file.
        path: PathBuf,
    },
    /// The index of searched texts cannot be read.
    #[error("cannot search {}: {reason}", path.display())]
    Index {
        /// The index.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A parameter of a request is missing or no such value.
    #[error("parameter `{name}`: {problem}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// What is to be exported is not said.
    #[error("{} holds {runs} runs, and a page shows one", path.display())]
    NotOneRun {
        /// The folder.
        path: PathBuf,
        /// How many runs it holds.
        runs: usize,
    },
    /// The page cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Export {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
}

impl ViewError {
    /// An id that nothing here has.
    pub(super) fn not_found(what: &'static str, id: impl Into<String>) -> Self {
        let id = id.into();
        Self::NotFound { what, id }
    }
}
