//! Failures of agents, and conversions from other errors.

use sandbox::SessionLostCause;

use crate::model::Status;
use crate::model::web::PageError;
use crate::provider::ProviderError;
use crate::tool::ToolError;

/// Reason why an agent gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub status: Status,
    pub reason: String,
    /// Text of a refusal by the model, or of a filter that withheld the response. It becomes the
    /// answer of the attempt if the agent is the root.
    pub refusal: Option<String>,
}

impl Failure {
    /// Creates a failure that is not a refusal.
    pub fn new(status: Status, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: reason.into(),
            refusal: None,
        }
    }

    /// Returns the failure of an agent that ended before it answered.
    pub fn ended() -> Self {
        Self::new(Status::Error, "it ended before it answered")
    }

    /// Converts the error of a call to the failure of its agent.
    pub fn of_tool(error: ToolError) -> Self {
        Self::new(Status::Error, error.0)
    }

    /// Whether an attempt with this result is scored by the state of its environment: not if
    /// something broke or was stopped.
    pub fn leaves_a_state(result: &Result<String, Self>) -> bool {
        !matches!(result, Err(failure) if failure.status != Status::Limit)
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        Self {
            status: match &error {
                ProviderError::OverBudget { .. } | ProviderError::ContextOverflow { .. } => {
                    Status::Limit
                }
                _ => Status::Error,
            },
            reason: error.to_string(),
            refusal: match error {
                ProviderError::Filtered { message, .. } => Some(message),
                _ => None,
            },
        }
    }
}

impl From<sandbox::SessionLost> for Failure {
    fn from(lost: sandbox::SessionLost) -> Self {
        Self {
            // Effects of the agent's own code count as its failure; effects from outside do not.
            status: match lost.cause {
                SessionLostCause::OwnCode => Status::Limit,
                SessionLostCause::Outside | SessionLostCause::Diverged => Status::Error,
            },
            reason: lost.to_string(),
            refusal: None,
        }
    }
}

/// A page error that ends an attempt is the environment's failure, not the agent's.
impl From<PageError> for Failure {
    fn from(error: PageError) -> Self {
        Self::new(Status::Error, error.message)
    }
}
