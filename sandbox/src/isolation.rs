//! Where isolates run, and the one place that makes sessions.

use crate::process::{WorkerCommand, Workers};
use crate::session::{Config, Session, StartError};

/// Where isolates run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Isolation {
    /// On threads of the harness: the least overhead, and no defence against code that crashes the engine.
    Thread,
    /// In worker processes that have given up files, network and processes.
    Process(WorkerCommand),
}

/// Makes sessions of one configuration.
#[derive(Clone)]
pub struct Sandbox {
    config: Config,
    workers: Option<Workers>,
}

impl Sandbox {
    /// A sandbox without sessions yet. `on_lack` is called once with what the kernel lacks to confine workers fully.
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

    /// Whether sessions share processes of which each may use a part.
    pub(crate) fn shares_workers(&self) -> bool {
        self.workers.as_ref().is_some_and(Workers::are_shared)
    }

    /// A fresh isolate.
    ///
    /// # Errors
    /// If there is no thread or process for it.
    pub async fn session(&self) -> Result<Session, StartError> {
        match &self.workers {
            None => Session::in_thread(self.config.clone()).await,
            Some(workers) => workers.session().await,
        }
    }
}
