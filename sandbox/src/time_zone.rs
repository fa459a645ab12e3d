//! The time zone of model code: UTC, so that the same code answers the same on every machine.

use std::env;

unsafe extern "C" {
    fn tzset();
}

/// Sets the time zone of this process to UTC, which the engine takes for its own: that of sessions on threads of this process.
/// Worker processes do so themselves.
///
/// To be called while the process has one thread.
pub fn use_utc() {
    // SAFETY: no other thread reads the environment, and none the time zone.
    unsafe {
        // A name that V8's ICU knows, too.
        env::set_var("TZ", "UTC");
        tzset();
    }
}
