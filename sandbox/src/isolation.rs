//! Thread or process isolation. [`Sandbox`] is the only place that creates sessions.

use crate::process::{WorkerCommand, Workers};
use crate::session::{Config, Session, StartError};

/// Place where a session's code runs, which determines its isolation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Isolation {
    /// On threads of the harness: minimal overhead, but no protection against code that crashes the
    /// engine.
    Thread,
    /// In worker processes without access to files, network and other processes.
    Process(WorkerCommand),
}

/// Creates sessions that share one configuration.
#[derive(Clone)]
pub struct Sandbox {
    config: Config,
    workers: Option<Workers>,
}

impl Sandbox {
    /// Creates a sandbox without sessions. Calls `on_lack` at most once, with the missing kernel
    /// features that full confinement of workers requires.
    ///
    /// # Errors
    /// [`StartError::Boot`] if the engine does not load the library.
    pub fn new(
        config: Config,
        isolation: Isolation,
        on_lack: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, StartError> {
        let workers = match isolation {
            Isolation::Thread => None,
            Isolation::Process(command) => Some(Workers::new(&config, command, on_lack)?),
        };
        Ok(Self { config, workers })
    }

    /// Whether several sessions share one process and its memory.
    pub(crate) fn shares_workers(&self) -> bool {
        self.workers.as_ref().is_some_and(Workers::are_shared)
    }

    /// Starts a session in a fresh isolate.
    ///
    /// # Errors
    /// Returns [`StartError`] if no thread or process can be started.
    pub async fn session(&self) -> Result<Session, StartError> {
        match &self.workers {
            None => Session::in_thread(self.config.clone()).await,
            Some(workers) => workers.session().await,
        }
    }
}
