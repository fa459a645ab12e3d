//! Hooks: named functions that see what passes between an agent and its model and tools, and may change it.
//!
//! If a prompt definition lists hooks, only these run for it; otherwise those of the run do. They run in order, each on the
//! event as the one before it left it. A hook that fails ends the attempt: what it should have held back might leak
//! otherwise.

mod event;
mod registry;

mod bundled;
mod luhn;
mod redact;

mod script;

use async_trait::async_trait;

pub use event::{HookEvent, Passed, ToolStage};
pub use registry::{HookRegistry, HookRegistryError};
pub use script::{HookFileError, ScriptHook};

/// A hook, as it can be listed.
pub trait Hook: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// One line for lists.
    fn description(&self) -> &str;

    /// The events that it handles, by name.
    fn events(&self) -> &[&'static str];

    /// Messages that a conversation must have before it does anything at all.
    fn least_messages(&self) -> usize {
        0
    }

    /// Identifies its version, for fingerprints: `bundled/1`, or the SHA-256 (hex) of its file.
    fn digest(&self) -> &str;

    /// Begins its work in an attempt. What it remembers, it remembers for that attempt.
    fn begin(&self) -> Box<dyn HookWork>;
}

/// A hook at work in one attempt.
#[async_trait]
pub trait HookWork: Send {
    /// Handles an event, and returns it, changed or not.
    ///
    /// # Errors
    /// [`HookError`] if it fails or takes too long.
    async fn see(&mut self, event: HookEvent) -> Result<Passed, HookError>;
}

/// A hook that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("hook `{hook}` failed at {event}: {reason}")]
pub struct HookError {
    /// Its name.
    pub hook: String,
    /// The event's name.
    pub event: &'static str,
    /// What went wrong, with file and line where they are known.
    pub reason: String,
}
