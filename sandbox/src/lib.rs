//! The JavaScript REPL that agents work in, on an engine embedded by `deno_core`.
//!
//! A [`Session`] is one isolate; each agent of a delegation tree opens a [`Repl`] in it. Everything that
//! crosses the boundary is a message ([`message`]): cells in; output, calls and results out.
//!
//! Invariants: the sandbox knows nothing of models or prompts, and nothing outside this crate knows which
//! engine runs. Model code reaches the host through the ops of `ops.rs` alone.

#![allow(
    unsafe_code,
    reason = "the engine's callbacks and the thread clock are C interfaces"
)]

mod boot;
mod cpu_clock;
mod isolate;
mod limits;
pub mod message;
mod ops;
mod output;
mod rejections;
mod rewrite;
mod session;
mod stack_trace;
mod watchdog;
mod worker;

pub use limits::{Console, Limits};
pub use rewrite::SyntaxError;
pub use session::{Config, Event, Lost, Repl, Session, StartError};
