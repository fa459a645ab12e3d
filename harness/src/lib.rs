//! The engine: runs a language model as a recursive agent in a JavaScript sandbox.
//!
//! An [`Engine`] runs attempts. Each is a tree of agents that share one sandbox session; it tells what
//! happens as [`event::Event`]s and ends in an [`outcome::AttemptOutcome`].
//!
//! Invariants: the harness knows no benchmark and no scorer, and reads neither the environment nor flags.

mod agent;
mod attempt;
mod delegation;
mod engine;
pub mod event;
mod fence;
mod invocation;
mod js_scan;
mod meter;
pub mod outcome;
pub mod prompt;
mod protocol;
pub mod provider;

pub use engine::{Engine, EngineConfig, EngineError, Model, Models, Task};
pub use protocol::Protocol;
pub use sandbox;
