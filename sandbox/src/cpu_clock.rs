//! The CPU time of one thread, readable from another.

use std::time::Duration;

/// CPU clock of the thread that created this value. It reads zero once that thread has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CpuClock(libc::clockid_t);

impl CpuClock {
    /// Returns the clock of the calling thread.
    pub fn of_this_thread() -> Self {
        let mut clock = libc::CLOCK_THREAD_CPUTIME_ID;
        // SAFETY: the calling thread exists, and `clock` is a valid location for the result.
        unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) };
        Self(clock)
    }

    /// Returns the CPU time used so far.
    pub fn now(self) -> Duration {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `time` is a valid location for the result; the clock of an ended thread causes an
        // error, not undefined behavior.
        if unsafe { libc::clock_gettime(self.0, &raw mut time) } != 0 {
            return Duration::ZERO;
        }
        Duration::new(
            time.tv_sec.unsigned_abs(),
            u32::try_from(time.tv_nsec).unwrap_or(0),
        )
    }
}
