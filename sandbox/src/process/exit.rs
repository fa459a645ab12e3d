//! Exit codes of a worker process and the causes that they identify.

use std::process::ExitStatus;

#[cfg(target_os = "linux")]
use super::system_calls::fatal_call;
use crate::session_lost::SessionLost;

/// A cell could not be stopped.
pub(super) const STUCK: i32 = 81;
/// The process exceeded its memory limit.
pub(super) const MEMORY: i32 = 82;
/// The engine broke, or the worker panicked.
pub(super) const BROKEN: i32 = 83;

/// Ends the process immediately, without waiting for its threads.
pub(super) fn now(code: i32) -> ! {
    // SAFETY: ends the process without running any other code, as intended.
    unsafe { libc::_exit(code) }
}

/// Returns the reason why a session was lost, based on its worker's exit status.
pub(super) fn lost(status: ExitStatus) -> SessionLost {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(STUCK), _) => {
            SessionLost::own_code("a cell could not be stopped, so its process was ended")
        }
        (Some(MEMORY), _) => SessionLost::own_code(
            "its process exceeded the memory limit (--memory-limit) and was ended",
        ),
        (Some(BROKEN), _) => SessionLost::own_code("the engine broke"),
        (Some(code), _) if let Some(call) = fatal_call(code) => SessionLost::outside(format!(
            "its process was ended because it made the forbidden system call {call}"
        )),
        (Some(code), _) => SessionLost::outside(format!("its process ended with code {code}")),
        (None, Some(signal)) if crashed(signal) => {
            SessionLost::own_code(format!("its process crashed ({})", signal_name(signal)))
        }
        (None, Some(signal)) => SessionLost::outside(format!(
            "its process was killed from outside ({})",
            signal_name(signal)
        )),
        (None, None) => SessionLost::outside("its process ended without an exit status"),
    }
}

#[cfg(not(target_os = "linux"))]
fn fatal_call(_: i32) -> Option<&'static str> {
    None
}

/// Whether a signal is caused by a crash of the process itself.
fn crashed(signal: i32) -> bool {
    [
        libc::SIGSEGV,
        libc::SIGABRT,
        libc::SIGBUS,
        libc::SIGILL,
        libc::SIGFPE,
    ]
    .contains(&signal)
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGFPE => "SIGFPE",
        libc::SIGSYS => "SIGSYS",
        libc::SIGKILL => "SIGKILL",
        libc::SIGTERM => "SIGTERM",
        libc::SIGINT => "SIGINT",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}
