//! Keeps sessions ready, so that whoever needs one next does not wait for its isolate.
//!
//! Invariants: every session is handed out once. Its clock starts when its first agent is opened, so a cell cannot
//! find out how long the session was idle. No more sessions are started than will be asked for, and none where sessions
//! share a worker: there an idle session would take part of the others' memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::isolation::Sandbox;
use crate::session::{Session, StartError};

/// Sessions that are kept ready beyond those that are used: one for the next attempt, and one for an attempt that
/// begins before the first is replaced.
pub const READY: usize = 2;

/// A sandbox with sessions made ahead, by the one async runtime that asks for them.
#[derive(Clone)]
pub struct WarmPool(Arc<Shared>);

struct Shared {
    sandbox: Sandbox,
    ahead: Mutex<Ahead>,
}

struct Ahead {
    /// How many are kept ready.
    keep: usize,
    /// How many will still be asked for.
    expected: usize,
    /// The oldest first.
    ready: VecDeque<Session>,
    /// Sessions that will be ready soon.
    starting: usize,
}

impl WarmPool {
    /// A pool that makes nothing ahead until sessions are expected, and one was asked for.
    pub fn new(sandbox: Sandbox) -> Self {
        let ahead = Mutex::new(Ahead {
            keep: READY,
            expected: 0,
            ready: VecDeque::new(),
            starting: 0,
        });
        Self(Arc::new(Shared { sandbox, ahead }))
    }

    /// Keeps this many ready from now on, as long as so many are expected, and starts them.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn keep_ready(&self, sessions: usize) {
        self.0.lock().keep = sessions;
        self.start();
    }

    /// Announces that this many more sessions will be asked for.
    pub fn expect(&self, sessions: usize) {
        self.0.lock().expected += sessions;
    }

    /// A fresh isolate: the one that has been ready longest, if there is such; meanwhile others are made ready.
    ///
    /// # Errors
    /// If there is no thread or process for it.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn session(&self) -> Result<Session, StartError> {
        let session = match self.0.take() {
            Some(session) => session,
            None => match self.0.sandbox.session().await {
                Ok(session) => session,
                // What was made ready meanwhile may have got what this one lacked.
                Err(error) => self.0.take().ok_or(error)?,
            },
        };
        self.refill();
        Ok(session)
    }

    /// Number of sessions that are ready now. One whose worker has ended is not.
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

    /// Starts what is missing.
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
                // An error is dropped here: whoever needs the session next starts one and gets the error.
                let session = starting.0.sandbox.session().await;
                starting.0.lock().ready.extend(session);
            });
        }
    }
}

/// A session that is being made, or was: also if its async runtime ends before.
struct Starting(Arc<Shared>);

impl Drop for Starting {
    fn drop(&mut self) {
        self.0.lock().starting -= 1;
    }
}

impl Shared {
    /// The session that has been ready longest. Those that are gone are forgotten.
    fn take(&self) -> Option<Session> {
        let mut ahead = self.lock();
        ahead.ready.retain(Session::lives);
        ahead.ready.pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, Ahead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
