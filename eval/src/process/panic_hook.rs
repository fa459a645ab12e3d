//! Prints panics like Rust's default hook, with all known keys redacted.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, PanicHookInfo};

use harness::provider::http::redact;

use super::terminal;

/// Installs the hook. Keys must be redacted, because the message of a panic may quote any text.
pub fn install() {
    panic::set_hook(Box::new(|info| {
        terminal::lines(&redact(text(info, &Backtrace::capture())));
    }));
}

fn text(info: &PanicHookInfo<'_>, backtrace: &Backtrace) -> String {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("<unnamed>");
    // Same format as Rust's default hook.
    let message = format!("thread '{name}' {info}");
    match backtrace.status() {
        BacktraceStatus::Captured => format!("{message}\nstack backtrace:\n{backtrace}"),
        _ => message,
    }
}
