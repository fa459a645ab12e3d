//! Where models run: the trait that the engine calls, and what passes through it.
//!
//! Policy (retries, limits, caches) is a provider around another provider, never a flag inside one.

mod replay;
mod scripted;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::event::{Message, Role};
use crate::outcome::Usage;
use crate::prompt::PromptMode;

pub use replay::{Replay, ReplayError};
pub use scripted::{Scripted, ScriptedError, scripted_digest, scripted_models};

/// A model's home.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Asks a model once.
    ///
    /// # Errors
    /// [`ProviderError`]; each names what the provider said.
    async fn complete(&self, request: &Request) -> Result<Response, ProviderError>;

    /// What this provider can answer at all; `None` if anything.
    fn recording(&self) -> Option<Recording> {
        None
    }
}

/// What a recording holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// The samples, in the recording's order.
    pub samples: Vec<String>,
    /// The most requests that a root made.
    pub root_turns: u32,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The model's name at its provider, without the provider's prefix.
    pub model: String,
    /// The system prompt: the same in every request of an invocation.
    pub system: String,
    /// The conversation, oldest first; ends with a user message.
    pub messages: Vec<Message>,
    /// Who asks.
    pub caller: Caller,
}

/// Who asks: for providers that answer by it, and for the records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The sample.
    pub sample: String,
    /// 1-based.
    pub attempt: u32,
    /// The agent's invocation id.
    pub invocation: String,
    /// What kind of agent.
    pub role: Role,
    /// 0 for the root.
    pub depth: u32,
    /// 1-based: the invocation's how-manieth request.
    pub turn: u32,
    /// The run's prompt mode.
    pub mode: PromptMode,
}

/// One response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// The text.
    pub text: String,
    /// Reasoning apart from the text.
    pub reasoning: Option<String>,
    /// Tokens, if the server counted them.
    pub usage: Option<Usage>,
    /// The model version that the server says it served.
    pub served_model: Option<String>,
}

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// A recording does not hold this request.
    #[error(
        "the recording {recording} holds no response for sample {sample}, agent {invocation}, turn {turn}"
    )]
    NotRecorded {
        /// The file or folder.
        recording: String,
        /// The sample.
        sample: String,
        /// The agent.
        invocation: String,
        /// 1-based.
        turn: u32,
    },
    /// A scripted model has no rule for this request.
    #[error(
        "the scripted model {script} has no rule for {role} at depth {depth}, turn {turn}, mode {mode}"
    )]
    NoRule {
        /// The model's name or file.
        script: String,
        /// The asking agent's role.
        role: Role,
        /// Its depth.
        depth: u32,
        /// 1-based.
        turn: u32,
        /// The run's mode.
        mode: PromptMode,
    },
    /// A scripted model's own code failed.
    #[error("the scripted model {script} failed: {reason}")]
    ScriptFailed {
        /// The model's name or file.
        script: String,
        /// What its code said.
        reason: String,
    },
}
