//! Measures the CPU time of a computation's thread, so that limits do not depend on the machine's
//! load.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Runs `work` on this thread and returns its result with the CPU time used.
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
