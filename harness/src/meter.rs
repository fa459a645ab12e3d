//! Measures the time in which at least one piece of work is going on.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Counts work in progress and the time that it covers: parallel work is counted once.
#[derive(Debug, Default)]
pub(crate) struct Meter(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    working: u32,
    since: Option<Instant>,
    covered: Duration,
}

/// Work in progress; dropping it ends the work.
#[derive(Debug)]
pub(crate) struct Work<'a>(&'a Meter);

impl Meter {
    /// Begins a piece of work.
    pub fn begin(&self) -> Work<'_> {
        let mut state = self.lock();
        state.working += 1;
        state.since.get_or_insert_with(Instant::now);
        Work(self)
    }

    /// Time covered by work so far.
    pub fn covered(&self) -> Duration {
        let state = self.lock();
        state.covered + state.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.working -= 1;
        if state.working == 0
            && let Some(since) = state.since.take()
        {
            state.covered += since.elapsed();
        }
    }
}
