//! What a computation takes of its thread's own time, so that a limit holds however busy the machine is.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Runs it on this thread, and says how long the processor worked on it.
pub fn cpu_time<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = now();
    let result = work();
    (result, now().saturating_sub(began))
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap(),
        time.tv_nsec.try_into().unwrap(),
    )
}
