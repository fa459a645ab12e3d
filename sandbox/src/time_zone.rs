//! The time zone of model code: UTC, so that the same code returns the same answer on every
//! machine.

use std::env;

unsafe extern "C" {
    fn tzset();
}

/// Sets the time zone of this process, and of sessions on its threads, to UTC. Worker processes
/// call this function themselves.
///
/// Must be called while the process has one thread.
pub fn use_utc() {
    // SAFETY: no other thread reads the environment or the time zone.
    unsafe {
        // A name that V8's ICU also recognizes.
        env::set_var("TZ", "UTC");
        tzset();
    }
}
