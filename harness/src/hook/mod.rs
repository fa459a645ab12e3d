//! Hooks: named functions that see what passes between an agent and its model and tools, and may change it.
//!
//! A prompt definition lists its hooks, and then only these run for it; elsewhere those of the run do. They run one
//! after the other, each on what the one before it made of the moment. A hook that fails ends the attempt: what it was
//! to keep back might pass otherwise.

mod moment;
mod registry;

mod bundled;
mod luhn;
mod redact;

mod script;

use async_trait::async_trait;

pub use moment::{Moment, Passed, ToolStage};
pub use registry::{HookRegistry, HookRegistryError};
pub use script::{HookFileError, ScriptHook};

/// A hook, as it can be listed.
pub trait Hook: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// One line for lists.
    fn description(&self) -> &str;

    /// The moments that it does something at, by their names.
    fn moments(&self) -> &[&'static str];

    /// Messages that a conversation must have before it does anything at all.
    fn least_messages(&self) -> usize {
        0
    }

    /// What tells two versions of it apart, for fingerprints: `bundled/1`, or the SHA-256 (hex) of its file.
    fn digest(&self) -> &str;

    /// Begins its work in an attempt. What it remembers, it remembers for that attempt.
    fn begin(&self) -> Box<dyn HookWork>;
}

/// A hook at work in one attempt.
#[async_trait]
pub trait HookWork: Send {
    /// Sees a moment, and says what is to pass instead.
    ///
    /// # Errors
    /// [`HookError`] if it fails or takes too long.
    async fn see(&mut self, moment: Moment) -> Result<Passed, HookError>;
}

/// A hook that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("hook `{hook}` failed at {moment}: {reason}")]
pub struct HookError {
    /// Its name.
    pub hook: String,
    /// The moment's name.
    pub moment: &'static str,
    /// What went wrong, with file and line where they are known.
    pub reason: String,
}
