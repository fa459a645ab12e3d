//! Errors of requests, with one variant for each error that callers handle differently.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::Role;
use crate::provider::Response;
use crate::settings::PromptMode;

/// Reason why a request has no usable response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// A recording does not contain this request.
    #[error(
        "the recording {recording} contains no response for sample {sample}, agent {invocation}, turn {turn}"
    )]
    NotRecorded {
        /// Path of the recording.
        recording: String,
        /// Id of the sample.
        sample: String,
        /// Invocation id of the agent.
        invocation: String,
        /// Turn of the agent, 1-based.
        turn: u32,
    },
    /// A scripted model has no rule for this request.
    #[error(
        "the scripted model {script} has no rule for {role} at depth {depth}, turn {turn}, mode {mode}"
    )]
    NoRule {
        /// Name or file of the scripted model.
        script: String,
        /// Role of the agent.
        role: Role,
        /// Depth of the agent.
        depth: u32,
        /// Turn of the agent, 1-based.
        turn: u32,
        /// Prompt mode of the run.
        mode: PromptMode,
    },
    /// The code of a scripted model failed.
    #[error("the scripted model {script} failed: {reason}")]
    ScriptFailed {
        /// Name or file of the scripted model.
        script: String,
        /// Error of the code.
        reason: String,
    },
    /// The API key is wrong or missing (401). No request of the run can succeed.
    #[error("{provider} rejected the API key: {message}")]
    Unauthorized {
        /// Name of the provider.
        provider: String,
        /// Message of the provider.
        message: String,
    },
    /// The account of the API key is out of credit or quota. No request of the run can succeed.
    #[error("the account at {provider} is out of credit: {message}")]
    NoCredit {
        /// Name of the provider.
        provider: String,
        /// Message of the provider.
        message: String,
    },
    /// The request is invalid or not permitted (400, 403, 404, 422, …). A retry would also fail.
    #[error("{provider} rejected the request ({status}): {message}")]
    Refused {
        /// Name of the provider.
        provider: String,
        /// HTTP status.
        status: u16,
        /// Message of the provider.
        message: String,
    },
    /// The conversation exceeds the model's context window.
    #[error("the conversation exceeds the model's context window: {message}")]
    ContextOverflow {
        /// Message of the provider.
        message: String,
    },
    /// Too many requests (429).
    #[error("{provider} rate-limited the request (429): {message}")]
    RateLimited {
        /// Name of the provider.
        provider: String,
        /// Message of the provider.
        message: String,
        /// Delay that the provider requests.
        retry_after: Option<Duration>,
    },
    /// The server failed (408, 409, 425, 498, 499, 5xx), or returned an error with status 200.
    #[error("{provider} failed ({status}): {message}")]
    Server {
        /// Name of the provider.
        provider: String,
        /// HTTP status.
        status: u16,
        /// Message of the provider.
        message: String,
        /// Delay that the provider requests.
        retry_after: Option<Duration>,
    },
    /// The connection failed, or was reset before a response.
    #[error("cannot connect to {provider}: {message}")]
    Connection {
        /// Name of the provider, and host and port of its server.
        provider: String,
        /// Error of the connection.
        message: String,
    },
    /// The connection ended in the middle of the response.
    #[error("response from {provider} was interrupted: {message}")]
    Cut {
        /// Name of the provider.
        provider: String,
        /// Error of the connection.
        message: String,
    },
    /// The server did not respond in time.
    #[error("{provider} timed out after {} s: no {what}", after.as_secs_f64())]
    Timeout {
        /// Name of the provider.
        provider: String,
        /// Awaited event, such as `response`.
        what: String,
        /// Timeout that has passed.
        after: Duration,
    },
    /// The response does not have the expected format.
    #[error("invalid response from {provider}: {problem}")]
    Garbled {
        /// Name of the provider.
        provider: String,
        /// Description of the problem and its place in the response.
        problem: String,
    },
    /// The model refused, or the provider's filter withheld the response. If the agent is the root,
    /// the message is the attempt's answer.
    #[error("{provider} withheld the response: {message}")]
    Filtered {
        /// Name of the provider.
        provider: String,
        /// Message of the provider.
        message: String,
    },
    /// The response is incomplete, and a retry would not change that.
    #[error("incomplete response from {provider}: {message}")]
    Unfinished {
        /// Name of the provider.
        provider: String,
        /// Reason why the response is incomplete.
        message: String,
    },
    /// The response was cut off at the output token limit. An agent with further turns is notified
    /// and continues.
    #[error("the response was cut off at the limit of output tokens")]
    Truncated {
        /// The truncated response.
        response: Box<Response>,
    },
    /// A cache or a cassette cannot be read or written.
    #[error("{message}")]
    Store {
        /// Description with the name of the cache or cassette and the reason.
        message: String,
    },
    /// A hook failed on the request or its response.
    #[error("{message}")]
    Hook {
        /// Description with the hook, the event and the reason.
        message: String,
    },
    /// A budget does not allow the request, so it is not sent.
    #[error("the {budget} budget is used up ({spent} of {limit})")]
    OverBudget {
        /// Name of the budget's flag or setting.
        budget: String,
        /// Amount spent, with its unit.
        spent: String,
        /// Limit with its unit. The expected usage of the request may follow.
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

    /// Whether all other requests of the run would also fail.
    pub const fn ends_run(&self) -> bool {
        matches!(
            self,
            Self::Unauthorized { .. } | Self::NoCredit { .. } | Self::Store { .. }
        )
    }

    /// Applies `change` to the server's message, if the error contains one.
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

    /// Returns the delay that the server requests.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Server { retry_after, .. } => {
                *retry_after
            }
            _ => None,
        }
    }
}
