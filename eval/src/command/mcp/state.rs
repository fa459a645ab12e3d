//! The state that the tools share.

use std::sync::Arc;

use serve::AdmissionQueue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::roots::Roots;
use super::settings::McpSettings;
use crate::command::serve::service::Service;

/// State shared by the tools.
pub(super) struct ToolState {
    pub service: Arc<Service>,
    pub roots: Arc<Roots>,
    /// Names of the agents that the tool `rlm` offers.
    pub agents: Vec<String>,
    /// Models that the tool `llm_map` offers, each with the name of its agent.
    pub models: Vec<(String, String)>,
    admission: AdmissionQueue,
    /// Limits the concurrent model calls of `llm_map` over all clients.
    pub calls: Arc<Semaphore>,
    /// Limits the concurrent tool calls that read files.
    readers: Arc<Semaphore>,
}

impl ToolState {
    pub(super) fn new(settings: &McpSettings, service: Arc<Service>, roots: Roots) -> Self {
        let models = settings.models.iter();
        let models = models.map(|(model, agent)| (model.to_string(), agent.clone()));
        Self {
            service,
            roots: Arc::new(roots),
            agents: settings.agents.clone(),
            models: models.collect(),
            admission: AdmissionQueue::new(settings.load.max_concurrency, settings.load.max_queue),
            calls: Arc::new(Semaphore::new(settings.load.max_concurrency)),
            readers: Arc::new(Semaphore::new(settings.load.max_concurrency)),
        }
    }

    /// Waits until an agent may start work. Hold the permit until the agent has ended.
    ///
    /// # Errors
    /// A sentence if too many calls are waiting or the server is stopping.
    pub(super) async fn turn(&self) -> Result<OwnedSemaphorePermit, String> {
        let place = self.admission.enter().map_err(|error| error.to_string())?;
        let turn = place.turn().await;
        turn.ok_or_else(|| "the server is stopping".to_owned())
    }

    /// Runs blocking work on another thread, so that other calls can proceed.
    ///
    /// # Errors
    /// The error of the work, or a sentence if it panics; the panic message is also printed.
    pub(super) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let permit = Arc::clone(&self.readers).acquire_owned().await;
        let done = tokio::task::spawn_blocking(move || {
            // Held until the work has ended, even if the caller stopped waiting.
            let _permit = permit;
            work()
        });
        let done = done.await;
        done.map_err(|error| format!("the work failed: {error}"))?
    }
}
