//! Hooks: named functions that observe, and may change, the messages between an agent, its model
//! and its tools.
//!
//! Hooks listed in a prompt definition replace the run's hooks. Hooks run in order; each receives
//! the event as changed by the previous hook. If a hook fails, its agent fails (for a tool call in
//! a REPL, only the call fails), because data that the hook should have withheld could leak.

mod event;
mod registry;

mod bundled;
mod luhn;
mod redact;

mod script;

use std::fmt;

use async_trait::async_trait;

pub use event::{HookEvent, ToolStage};
pub use registry::{HookRegistry, HookRegistryError};
pub use script::{HookFileError, ScriptHook};

/// A hook. Each attempt runs its own instance.
pub trait Hook: Send + Sync {
    /// Name of the hook.
    fn name(&self) -> &str;

    /// One-line description.
    fn description(&self) -> &str;

    /// Names of the events that the hook handles.
    fn events(&self) -> &[&'static str];

    /// Minimum number of messages in a conversation for the hook to have an effect.
    fn min_messages(&self) -> usize {
        0
    }

    /// Version for fingerprints: `bundled/N` or the SHA-256 of the hook's file in hex.
    fn digest(&self) -> &str;

    /// Starts an instance for one attempt. Its state is kept until the attempt ends.
    fn begin(&self) -> Box<dyn RunningHook>;
}

/// Formats the name of the hook.
impl fmt::Debug for dyn Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.name(), f)
    }
}

/// Hook that is running in one attempt.
#[async_trait]
pub trait RunningHook: Send {
    /// Handles an event, which it may change. Returns notes for the records.
    ///
    /// # Errors
    /// Returns [`HookError`] if the hook fails or takes too long.
    async fn handle(&mut self, event: &mut HookEvent) -> Result<Vec<String>, HookError>;
}

/// Failure of a hook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("hook `{hook}` failed at {event}: {reason}")]
pub struct HookError {
    /// Name of the hook.
    pub hook: String,
    /// Name of the event.
    pub event: &'static str,
    /// Description of the failure, with file and line if known.
    pub reason: String,
}
