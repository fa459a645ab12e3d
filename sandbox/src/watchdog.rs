//! A thread that stops JavaScript code when it exceeds its execution time.
//!
//! The clock is the CPU time of the executing thread, so a busy machine does not cause timeouts.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use deno_core::v8::IsolateHandle;

use crate::cpu_clock::CpuClock;

/// Interval at which a due deadline is checked again and a termination is repeated.
const TICK: Duration = Duration::from_millis(10);
/// CPU time beyond its deadline after which code is considered unstoppable.
const GRACE: Duration = Duration::from_secs(3);

/// Interval at which running code is checked for other reasons to stop it.
const LOOK_TICK: Duration = Duration::from_millis(20);

/// Callback for code that cannot be terminated: some loops inside the engine never check for
/// termination.
pub(crate) type OnStuck = Arc<dyn Fn() + Send + Sync>;

struct Armed {
    id: u64,
    /// Executing thread.
    thread: ThreadId,
    /// Whether the executing thread must finish some work before it is terminated.
    is_paused: bool,
    clock: CpuClock,
    /// CPU time of the executing thread at which the code is stopped.
    cpu_deadline: Duration,
    /// Time of the next check, at the latest when the CPU time could be used up.
    look_at: Instant,
    isolate: IsolateHandle,
    fired: Arc<AtomicBool>,
    on_stuck: OnStuck,
    overflowed: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    armed: Vec<Armed>,
    next_id: u64,
    /// Callback that returns whether code must be stopped as if its heap had exceeded its limit.
    look: Option<Box<dyn FnMut() -> bool + Send>>,
    /// Time at which the thread next wakes up without a notification; `None` while it waits for
    /// one.
    wakes_at: Option<Instant>,
}

static STATE: LazyLock<(Mutex<State>, Condvar)> = LazyLock::new(Default::default);

/// Starts the thread if it is not running yet. Without the thread, no code is stopped, so every
/// process must call this function before it runs code.
///
/// # Errors
/// Returns an error if the system cannot create a thread.
pub(crate) fn start() -> io::Result<()> {
    static RUNS: Mutex<bool> = Mutex::new(false);
    let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    if !*runs {
        thread::Builder::new()
            .name("watchdog".to_owned())
            .spawn(watch)?;
        *runs = true;
    }
    Ok(())
}

/// An armed deadline; dropping it disarms it.
pub(crate) struct Watch {
    id: u64,
    fired: Arc<AtomicBool>,
}

impl Watch {
    /// Terminates `isolate` once the calling thread has used `budget` more CPU time.
    pub fn arm(
        isolate: IsolateHandle,
        clock: CpuClock,
        budget: Duration,
        on_stuck: OnStuck,
        overflowed: Arc<AtomicBool>,
    ) -> Self {
        let fired = Arc::new(AtomicBool::new(false));
        let mut state = lock();
        state.next_id += 1;
        let id = state.next_id;
        let look_at = state.next_look(Instant::now(), budget);
        let must_wake = state.wakes_at.is_none_or(|at| look_at < at);
        state.armed.push(Armed {
            id,
            thread: thread::current().id(),
            is_paused: false,
            clock,
            cpu_deadline: clock.now() + budget,
            look_at,
            isolate,
            fired: Arc::clone(&fired),
            on_stuck,
            overflowed,
        });
        drop(state);
        if must_wake {
            STATE.1.notify_one();
        }
        Self { id, fired }
    }

    /// Whether the deadline passed and the isolate was terminated.
    pub fn fired(&self) -> bool {
        self.fired.load(Ordering::SeqCst)
    }

    /// Disarms the deadline and returns whether the isolate was terminated. It will not be
    /// terminated afterward.
    pub fn end(self) -> bool {
        let fired = Arc::clone(&self.fired);
        drop(self);
        fired.load(Ordering::SeqCst)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        lock().armed.retain(|armed| armed.id != self.id);
    }
}

/// Sets whether terminations of the calling thread's code are paused. Code that comes due meanwhile
/// is marked but not terminated; the caller must terminate it. Code that does not return is still
/// considered unstoppable.
pub(crate) fn set_paused(is_paused: bool) {
    let thread = thread::current().id();
    let mut state = lock();
    let armed = state.armed.iter_mut();
    for armed in armed.filter(|armed| armed.thread == thread) {
        armed.is_paused = is_paused;
    }
}

/// Calls `look` regularly while code runs, instead of any earlier check. If `look` returns true,
/// all code of this process is stopped as if its heap had exceeded its limit.
pub(crate) fn set_check(look: impl FnMut() -> bool + Send + 'static) {
    lock().look = Some(Box::new(look));
}

fn lock() -> MutexGuard<'static, State> {
    STATE.0.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Armed {
    fn terminate(&self) {
        if !self.is_paused {
            self.isolate.terminate_execution();
        }
    }
}

impl State {
    /// Returns the time of the next check of code that may use `left` more CPU time.
    fn next_look(&self, now: Instant, left: Duration) -> Instant {
        let most = self.look.as_ref().map_or(left, |_| LOOK_TICK);
        now + left.min(most)
    }

    fn stop_all_if_needed(&mut self) {
        if self.armed.is_empty() {
            return;
        }
        if self.look.as_mut().is_some_and(|look| look()) {
            for armed in &self.armed {
                armed.overflowed.store(true, Ordering::SeqCst);
                armed.terminate();
            }
        }
    }

    fn stop_what_is_over_time(&mut self, now: Instant) {
        let mut armed = std::mem::take(&mut self.armed);
        for armed in armed.iter_mut().filter(|armed| armed.look_at <= now) {
            let left = armed.cpu_deadline.saturating_sub(armed.clock.now());
            if left.is_zero() {
                armed.fired.store(true, Ordering::SeqCst);
                armed.terminate();
                if armed.clock.now() > armed.cpu_deadline + GRACE {
                    (armed.on_stuck)();
                }
            }
            armed.look_at = self.next_look(now, left.max(TICK));
        }
        self.armed = armed;
    }
}

fn watch() {
    let mut state = lock();
    loop {
        let now = Instant::now();
        state.stop_all_if_needed();
        state.stop_what_is_over_time(now);
        state.wakes_at = state.armed.iter().map(|armed| armed.look_at).min();
        let wait = state.wakes_at.map(|at| at.saturating_duration_since(now));
        state = match wait {
            Some(wait) => STATE
                .1
                .wait_timeout(state, wait)
                .map_or_else(|e| e.into_inner().0, |ok| ok.0),
            None => STATE.1.wait(state).unwrap_or_else(PoisonError::into_inner),
        };
    }
}
