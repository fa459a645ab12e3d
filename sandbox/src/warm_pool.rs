//! Keeps sessions ready, so that the next caller does not wait for an isolate.
//!
//! Invariants: every session is returned to only one caller. Its clock starts when its first agent
//! is opened, so a cell cannot detect how long the session was idle. The pool never starts more
//! sessions than are expected to be needed. If sessions share a worker, none are started ahead,
//! because an idle session would use part of the others' memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::isolation::Sandbox;
use crate::session::{Session, StartError};

/// Default number of sessions kept ready: one for the next attempt, and one for an attempt that
/// begins before the first is replaced.
pub const READY: usize = 2;

/// A sandbox with sessions started ahead of time, for use within one async runtime.
#[derive(Clone)]
pub struct WarmPool(Arc<Shared>);

struct Shared {
    sandbox: Sandbox,
    ahead: Mutex<Ahead>,
}

struct Ahead {
    /// Number of sessions to keep ready.
    keep: usize,
    /// Number of sessions that are still expected to be needed.
    expected: usize,
    /// Ready sessions, oldest first.
    ready: VecDeque<Session>,
    /// Number of sessions that are starting.
    starting: usize,
}

impl WarmPool {
    /// Creates a pool. It starts sessions ahead of time only if [`WarmPool::expect`] has announced
    /// them, after a session was requested or [`WarmPool::keep_ready`] was called.
    pub fn new(sandbox: Sandbox) -> Self {
        let ahead = Mutex::new(Ahead {
            keep: READY,
            expected: 0,
            ready: VecDeque::new(),
            starting: 0,
        });
        Self(Arc::new(Shared { sandbox, ahead }))
    }

    /// Sets the number of sessions to keep ready while at least that number is expected, and starts
    /// them.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn keep_ready(&self, sessions: usize) {
        self.0.lock().keep = sessions;
        self.start();
    }

    /// Announces that `sessions` more sessions will be requested.
    pub fn expect(&self, sessions: usize) {
        self.0.lock().expected += sessions;
    }

    /// Returns a fresh session, preferably the one that has been ready longest, and replaces it in
    /// the background.
    ///
    /// # Errors
    /// Returns an error if no thread or process is available.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub async fn session(&self) -> Result<Session, StartError> {
        let session = match self.0.take() {
            Some(session) => session,
            None => match self.0.sandbox.session().await {
                Ok(session) => session,
                // A session that became ready in the meantime may occupy the resources that this
                // one lacked.
                Err(error) => self.0.take().ok_or(error)?,
            },
        };
        self.refill();
        Ok(session)
    }

    /// Returns the number of ready sessions, not counting those whose worker has ended.
    pub fn ready(&self) -> usize {
        let ahead = self.0.lock();
        ahead.ready.iter().filter(|session| session.lives()).count()
    }

    fn refill(&self) {
        let mut ahead = self.0.lock();
        ahead.expected = ahead.expected.saturating_sub(1);
        drop(ahead);
        self.start();
    }

    /// Starts as many sessions as are missing in the pool.
    fn start(&self) {
        let mut ahead = self.0.lock();
        let most = if self.0.sandbox.shares_workers() {
            0
        } else {
            ahead.expected.min(ahead.keep)
        };
        for _ in ahead.ready.len() + ahead.starting..most {
            ahead.starting += 1;
            let starting = Starting(Arc::clone(&self.0));
            tokio::spawn(async move {
                // Ignore the error: the next caller that needs a session starts one and receives
                // the error.
                let session = starting.0.sandbox.session().await;
                starting.0.lock().ready.extend(session);
            });
        }
    }
}

/// Counts a session as starting until dropped, even if its async runtime ends first.
struct Starting(Arc<Shared>);

impl Drop for Starting {
    fn drop(&mut self) {
        self.0.lock().starting -= 1;
    }
}

impl Shared {
    /// Removes and returns the session that has been ready longest. Drops sessions that have ended.
    fn take(&self) -> Option<Session> {
        let mut ahead = self.lock();
        ahead.ready.retain(Session::lives);
        ahead.ready.pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, Ahead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
