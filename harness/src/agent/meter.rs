//! Measures how long at least one piece of work is in progress, and how long all pieces wait.

use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

/// Measures the time that work takes. Overlapping pieces of work count once.
#[derive(Debug)]
pub(crate) struct Meter(Mutex<State>);

#[derive(Debug)]
struct State {
    working: u32,
    waiting: u32,
    changed: Instant,
    covered: TimeBreakdown,
}

/// Breakdown of the time so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TimeBreakdown {
    /// Time with at least one piece of work in progress.
    pub work: Duration,
    /// Time with at least one piece of work waiting and none in progress.
    pub waiting: Duration,
}

/// A piece of work. Dropping it ends the work.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    meter: &'a Meter,
    waits: Mutex<bool>,
}

impl Default for Meter {
    fn default() -> Self {
        Self(Mutex::new(State {
            working: 0,
            waiting: 0,
            changed: Instant::now(),
            covered: TimeBreakdown::default(),
        }))
    }
}

impl Meter {
    /// Begins a piece of work, which is in progress until it is dropped or set to waiting.
    pub fn begin(&self) -> Work<'_> {
        self.lock().working += 1;
        Work {
            meter: self,
            waits: Mutex::new(false),
        }
    }

    /// Awaits a piece of work.
    pub async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        let _working = self.begin();
        work.await
    }

    /// Returns the breakdown of the time so far.
    pub fn covered(&self) -> TimeBreakdown {
        self.lock().covered
    }

    /// Locks the state and brings its times up to date.
    fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.0.lock();
        let now = Instant::now();
        let passed = now.saturating_duration_since(state.changed);
        state.changed = now;
        if state.working > 0 {
            state.covered.work += passed;
        } else if state.waiting > 0 {
            state.covered.waiting += passed;
        }
        state
    }
}

impl Work<'_> {
    /// Marks the work as waiting or as in progress.
    pub fn set_waiting(&self, waits: bool) {
        let mut known = self.waits.lock();
        if *known == waits {
            return;
        }
        *known = waits;
        let mut state = self.meter.lock();
        if waits {
            state.working -= 1;
            state.waiting += 1;
        } else {
            state.waiting -= 1;
            state.working += 1;
        }
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.set_waiting(false);
        self.meter.lock().working -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Meter;

    #[test]
    fn counts_waiting_only_without_work() {
        let meter = Meter::default();
        let nap = || std::thread::sleep(Duration::from_millis(20));
        let first = meter.begin();
        let second = meter.begin();
        first.set_waiting(true);
        nap();
        assert_eq!(meter.covered().waiting, Duration::ZERO);
        second.set_waiting(true);
        nap();
        let waited = meter.covered().waiting;
        assert!(waited >= Duration::from_millis(20));
        drop(first);
        second.set_waiting(false);
        nap();
        drop(second);
        let covered = meter.covered();
        assert!(covered.work >= Duration::from_millis(40), "{covered:?}");
        nap();
        assert_eq!(
            meter.covered(),
            covered,
            "idle time is neither work nor waiting"
        );
    }
}
