//! How many agents work at once, and how many requests wait for that.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::ApiError;

/// Lets a number of requests through at once; the others wait in the order in which they came, up to a number.
#[derive(Debug)]
pub(crate) struct Gate {
    free: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
}

/// A request's place in the queue.
#[derive(Debug)]
pub(crate) struct Place {
    free: Arc<Semaphore>,
    _waiting: Waiting,
}

/// Counts as waiting until it is dropped.
#[derive(Debug)]
struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Gate {
    pub(crate) fn new(at_once: usize, most_waiting: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(at_once.min(Semaphore::MAX_PERMITS))),
            waiting: Arc::default(),
            most_waiting,
        }
    }

    /// A place in the queue.
    pub(crate) fn enter(&self) -> Result<Place, ApiError> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(Arc::clone(&self.waiting));
        if before
            >= self
                .most_waiting
                .saturating_add(self.free.available_permits())
        {
            return Err(ApiError::too_many(
                format!(
                    "all agents are at work, and {} requests wait already (--max-concurrency, --max-queue)",
                    self.most_waiting
                ),
                5,
            ));
        }
        Ok(Place {
            free: Arc::clone(&self.free),
            _waiting: waiting,
        })
    }

    /// Requests that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

impl Place {
    /// Waits for its turn. None if the server ends first.
    pub(crate) async fn turn(self) -> Option<OwnedSemaphorePermit> {
        self.free.acquire_owned().await.ok()
    }
}
