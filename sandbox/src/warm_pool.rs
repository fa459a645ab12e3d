//! Keeps sessions ready, so that whoever needs one next does not wait for its isolate.
//!
//! Invariant: a session that is handed out was in nobody's hands before. Its clock starts when its first agent is
//! opened, so that a cell cannot tell how long it was ready.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::isolation::Sandbox;
use crate::session::{Session, StartError};

/// Sessions that are kept ready beyond those that are used: one for the next attempt, and one for an attempt that
/// begins before the first is replaced. Each costs its isolate, for nothing if no attempt begins any more.
pub const READY: usize = 2;

/// A sandbox with sessions made ahead, from the first that is asked for on, by the async runtime that asks.
#[derive(Clone)]
pub struct WarmPool(Arc<Shared>);

struct Shared {
    sandbox: Sandbox,
    ahead: Mutex<Ahead>,
}

#[derive(Default)]
struct Ahead {
    ready: Vec<Session>,
    /// Sessions that will be ready soon.
    starting: usize,
}

impl WarmPool {
    /// A pool that is empty until a session is asked for.
    pub fn new(sandbox: Sandbox) -> Self {
        let ahead = Mutex::default();
        Self(Arc::new(Shared { sandbox, ahead }))
    }

    /// A fresh isolate: one that was ready, if there is such; meanwhile others are made ready.
    ///
    /// # Errors
    /// If there is no thread or process for it.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn session(&self) -> Result<Session, StartError> {
        let ready = self.0.take();
        let session = match ready {
            Some(session) => session,
            None => self.0.sandbox.session().await?,
        };
        self.refill();
        Ok(session)
    }

    fn refill(&self) {
        let mut ahead = self.0.lock();
        for _ in ahead.ready.len() + ahead.starting..READY {
            ahead.starting += 1;
            // The sandbox alone: what is being made ready keeps no pool.
            let (sandbox, pool) = (self.0.sandbox.clone(), Arc::downgrade(&self.0));
            tokio::spawn(async move {
                let session = sandbox.session().await;
                if let Some(pool) = pool.upgrade() {
                    let mut ahead = pool.lock();
                    ahead.starting -= 1;
                    // Why there is none is told to whoever needs one, and makes it anew.
                    ahead.ready.extend(session);
                }
            });
        }
    }
}

impl Shared {
    /// A ready session whose isolate still lives.
    fn take(&self) -> Option<Session> {
        let mut ahead = self.lock();
        while let Some(session) = ahead.ready.pop() {
            if session.lives() {
                return Some(session);
            }
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, Ahead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
