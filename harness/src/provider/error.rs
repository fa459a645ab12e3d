//! Why a request has no response: one case for each thing that a caller would do differently.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::Role;
use crate::prompt::PromptMode;
use crate::provider::Response;

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
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
    /// The key is wrong or missing (401): no request of this run can succeed.
    #[error("{provider} refuses the key: {message}")]
    Unauthorized {
        /// The provider.
        provider: String,
        /// What it said.
        message: String,
    },
    /// The account behind the key has no money or quota left: no request of this run can succeed.
    #[error("the account at {provider} has no credit left: {message}")]
    NoCredit {
        /// The provider.
        provider: String,
        /// What it said.
        message: String,
    },
    /// The request is wrong or not allowed (400, 403, 404, 422, …): sent again it would fail again.
    #[error("{provider} refuses the request ({status}): {message}")]
    Refused {
        /// The provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
    },
    /// The conversation is longer than the model can read.
    #[error("the conversation outgrew the model's context: {message}")]
    ContextOverflow {
        /// What the provider said.
        message: String,
    },
    /// Too many requests (429).
    #[error("{provider} is out of capacity for this key (429): {message}")]
    RateLimited {
        /// The provider.
        provider: String,
        /// What it said.
        message: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
    },
    /// The server failed (408, 409, 5xx, 529), or put an error into a 200.
    #[error("{provider} failed ({status}): {message}")]
    Server {
        /// The provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
    },
    /// The connection was refused, or reset before there was a response.
    #[error("no connection to {provider}: {message}")]
    Connection {
        /// The provider, and the host and port of its server.
        provider: String,
        /// What went wrong.
        message: String,
    },
    /// The connection ended in the middle of the response.
    #[error("the response of {provider} broke off: {message}")]
    Cut {
        /// The provider.
        provider: String,
        /// What went wrong.
        message: String,
    },
    /// Nothing came for too long.
    #[error("{provider} gave no {what} within {} s", after.as_secs_f64())]
    Timeout {
        /// The provider.
        provider: String,
        /// What was awaited.
        what: String,
        /// For how long.
        after: Duration,
    },
    /// The response is not what the format prescribes.
    #[error("{provider} sent a response that cannot be read: {problem}")]
    Garbled {
        /// The provider.
        provider: String,
        /// What is wrong with it, and where.
        problem: String,
    },
    /// The provider's filter withheld the response.
    #[error("{provider} withheld the response: {message}")]
    Filtered {
        /// The provider.
        provider: String,
        /// What it said.
        message: String,
    },
    /// The response is not whole, and would not be if the request were sent again.
    #[error("the response of {provider} is not whole: {message}")]
    Unfinished {
        /// The provider.
        provider: String,
        /// What it said of the end.
        message: String,
    },
    /// The response was cut at the limit of output tokens. The agent is notified and goes on.
    #[error("the response was cut off at the limit of output tokens")]
    Truncated {
        /// What came of it.
        response: Box<Response>,
    },
    /// A cache or a cassette cannot be read or written.
    #[error("{message}")]
    Store {
        /// Which, and why.
        message: String,
    },
    /// A hook failed at the request or its response.
    #[error("{message}")]
    Hook {
        /// Which, where and why.
        message: String,
    },
    /// A budget of the run is used up: nothing is sent any more.
    #[error("the {budget} budget is used up ({spent} of {limit})")]
    OverBudget {
        /// Which budget, by its flag.
        budget: String,
        /// What was used, with its unit.
        spent: String,
        /// The limit, with its unit.
        limit: String,
    },
}

impl ProviderError {
    /// Whether the same request may succeed later.
    pub const fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. }
                | Self::Server { .. }
                | Self::Connection { .. }
                | Self::Cut { .. }
                | Self::Timeout { .. }
                | Self::Garbled { .. }
        )
    }

    /// Whether no other request of the run can succeed either.
    pub const fn ends_run(&self) -> bool {
        matches!(
            self,
            Self::Unauthorized { .. } | Self::NoCredit { .. } | Self::Store { .. }
        )
    }

    /// The same error with what a server said changed by `change`.
    #[must_use]
    pub fn map_message(mut self, change: impl Fn(String) -> String) -> Self {
        match &mut self {
            Self::Unauthorized { message, .. }
            | Self::NoCredit { message, .. }
            | Self::Refused { message, .. }
            | Self::ContextOverflow { message }
            | Self::RateLimited { message, .. }
            | Self::Server { message, .. }
            | Self::Connection { message, .. }
            | Self::Cut { message, .. }
            | Self::Garbled {
                problem: message, ..
            }
            | Self::Filtered { message, .. }
            | Self::Unfinished { message, .. } => *message = change(std::mem::take(message)),
            Self::NotRecorded { .. }
            | Self::NoRule { .. }
            | Self::ScriptFailed { .. }
            | Self::Timeout { .. }
            | Self::Truncated { .. }
            | Self::Store { .. }
            | Self::Hook { .. }
            | Self::OverBudget { .. } => {}
        }
        self
    }

    /// How long the server asks to wait.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Server { retry_after, .. } => {
                *retry_after
            }
            _ => None,
        }
    }
}
