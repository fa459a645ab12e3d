//! Sandbox sessions that receive the remaining budget of an attempt.

use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use sandbox::Session;
use sandbox::message::Budget;

#[derive(Default)]
pub(crate) struct BudgetSubscribers {
    sessions: Mutex<Vec<(u32, Session)>>,
    next: AtomicU32,
}

impl BudgetSubscribers {
    /// Publishes the budget to all sessions.
    pub fn publish(&self, budget: Budget) {
        for (_, session) in &*self.sessions.lock() {
            session.set_budget(budget);
        }
    }

    /// Adds a session, which is removed when the guard is dropped.
    pub fn add(&self, session: &Session) -> BudgetSubscription<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.sessions.lock().push((number, session.clone()));
        BudgetSubscription { all: self, number }
    }
}

/// Guard that removes a session on drop. Otherwise, the list would keep the session open until the
/// attempt ends.
pub(crate) struct BudgetSubscription<'a> {
    all: &'a BudgetSubscribers,
    number: u32,
}

impl Drop for BudgetSubscription<'_> {
    fn drop(&mut self) {
        let mut sessions = self.all.sessions.lock();
        sessions.retain(|(number, _)| *number != self.number);
    }
}
