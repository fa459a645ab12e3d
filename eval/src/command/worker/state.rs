//! A worker: its settings, its connection to the queue's server, and its load.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use queue::Broker;
use tokio::sync::{Semaphore, mpsc, watch};

use super::settings::WorkerSettings;

/// Instruction to a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkerMode {
    /// Take attempts.
    Work,
    /// Finish the attempts in progress without taking more.
    Finish,
    /// Return the attempts in progress to the queue.
    Return,
}

/// A worker and its connection to the queue's server.
pub(super) struct Worker {
    pub(super) settings: WorkerSettings,
    pub(super) broker: Arc<dyn Broker>,
    /// Permits that limit concurrent attempts.
    pub(super) permits: Arc<Semaphore>,
    pub(super) mode: watch::Receiver<WorkerMode>,
    /// Number of attempts in progress plus runs being prepared.
    pub(super) under_way: AtomicUsize,
    /// Signals that a task began or ended.
    pub(super) busy: mpsc::UnboundedSender<()>,
}

/// Guard of a task. While it exists, the worker is not idle.
pub(super) struct BusyGuard(Arc<Worker>);

impl Worker {
    /// Registers a task, which ends when the guard is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> BusyGuard {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        // The receiver is dropped when the worker ends.
        let _ = self.busy.send(());
        BusyGuard(Arc::clone(self))
    }
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::SeqCst);
        let _ = self.0.busy.send(());
    }
}
