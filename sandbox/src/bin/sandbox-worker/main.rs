//! A minimal worker process for the tests of this crate. Its subcommands perform actions that cells
//! have no functions for.

#![allow(clippy::print_stdout, reason = "prints results that tests read")]

mod host;
mod probe;
#[cfg(target_os = "linux")]
mod system_calls;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("probe") => probe::probe(),
        Some("host") => host::run(),
        Some("crowded") => {
            let _waits = std::thread::spawn(std::thread::park);
            sandbox::worker_main();
        }
        #[cfg(target_os = "linux")]
        Some("system-calls") => system_calls::try_each(),
        #[cfg(target_os = "linux")]
        Some("misbehaves") => {
            system_calls::misbehave_when_asked();
            sandbox::worker_main();
        }
        _ => sandbox::worker_main(),
    }
}
