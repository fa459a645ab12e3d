//! The time zone of model code: UTC, so that the same code answers the same on every machine.

use std::env;

unsafe extern "C" {
    fn tzset();
}

/// Sets the time zone of this process to UTC, which the engine takes for its own. Worker processes are in UTC anyway; this is for
/// sessions on threads of this process.
///
/// To be called while the process has one thread.
pub fn use_utc() {
    // SAFETY: no other thread reads the environment, and none the time zone.
    unsafe {
        env::set_var("TZ", "UTC0");
        tzset();
    }
}
