//! The sandbox sessions of an attempt that are told what is left to spend.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sandbox::Session;
use sandbox::message::Budget;

/// Sessions that are told of the budget.
#[derive(Default)]
pub(crate) struct ToldSessions {
    sessions: Mutex<Vec<(u32, Session)>>,
    next: AtomicU32,
}

impl ToldSessions {
    /// Tells all of them.
    pub fn tell(&self, budget: Budget) {
        for (_, session) in &*self.lock() {
            session.set_budget(budget);
        }
    }

    /// One more, for as long as the guard lives.
    pub fn add(&self, session: &Session) -> Told<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.lock().push((number, session.clone()));
        Told { all: self, number }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u32, Session)>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends when a session is no longer told of the budget: it would live as long as the attempt otherwise.
pub(crate) struct Told<'a> {
    all: &'a ToldSessions,
    number: u32,
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        let mut sessions = self.all.lock();
        sessions.retain(|(number, _)| *number != self.number);
    }
}
