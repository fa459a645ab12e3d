//! What a panic prints: what Rust prints by itself, with every key struck out of it.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, PanicHookInfo};

use harness::provider::http::strike_out;

use crate::terminal;

/// Puts this in the place of Rust's own hook. A panic is a fault of this program, but what its message quotes may be
/// anything.
pub fn install() {
    panic::set_hook(Box::new(|info| {
        terminal::lines(&strike_out(text(info, &Backtrace::capture())));
    }));
}

fn text(info: &PanicHookInfo<'_>, backtrace: &Backtrace) -> String {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("<unnamed>");
    // As Rust has it: place and message.
    let message = format!("thread '{name}' {info}");
    match backtrace.status() {
        BacktraceStatus::Captured => format!("{message}\nstack backtrace:\n{backtrace}"),
        _ => message,
    }
}
