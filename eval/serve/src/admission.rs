//! Limits the number of concurrent agents and of waiting requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::ApiError;

/// Admits a limited number of concurrent requests. Further requests wait in order of arrival, up to
/// a maximum number.
#[derive(Debug)]
pub struct AdmissionQueue {
    free: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    max_waiting: usize,
}

/// A request's place in the queue.
#[derive(Debug)]
pub struct QueueTicket {
    free: Arc<Semaphore>,
    _waiting: Waiting,
}

/// Counts a request as waiting until dropped.
#[derive(Debug)]
struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl AdmissionQueue {
    /// Limits the concurrent and the waiting requests.
    pub fn new(max_concurrent: usize, max_waiting: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(max_concurrent.min(Semaphore::MAX_PERMITS))),
            waiting: Arc::default(),
            max_waiting,
        }
    }

    /// Adds a request to the queue.
    ///
    /// # Errors
    /// Returns [`ApiError`] if the queue is full.
    pub fn enter(&self) -> Result<QueueTicket, ApiError> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(Arc::clone(&self.waiting));
        if before
            >= self
                .max_waiting
                .saturating_add(self.free.available_permits())
        {
            return Err(ApiError::too_many(
                format!(
                    "all agents are busy and {} requests are already waiting (--max-concurrency, \
                     --max-queue)",
                    self.max_waiting
                ),
                5,
            ));
        }
        Ok(QueueTicket {
            free: Arc::clone(&self.free),
            _waiting: waiting,
        })
    }

    /// Returns the number of waiting requests.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

impl QueueTicket {
    /// Waits for the request's turn. Returns `None` if the server stops first.
    pub async fn turn(self) -> Option<OwnedSemaphorePermit> {
        self.free.acquire_owned().await.ok()
    }
}
