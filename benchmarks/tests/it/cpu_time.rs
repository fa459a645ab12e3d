//! Measures the CPU time of the current thread, so that time limits do not depend on the machine's
//! load.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Runs `work` on this thread and returns its result and CPU time.
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
