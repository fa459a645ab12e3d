//! Failures of agents, and conversions of other errors to failures.

use sandbox::SessionLostCause;

use crate::model::Status;
use crate::model::web::PageError;
use crate::provider::ProviderError;

/// Reason why an agent did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub status: Status,
    pub reason: String,
    /// Text of the model's refusal, or message of the filter that withheld the response. For the
    /// root, this text becomes the attempt's answer.
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

    /// Creates the failure of an agent that ended before it answered.
    pub fn ended() -> Self {
        Self::new(Status::Error, "it ended before it answered")
    }

    /// Creates the failure of an agent whose answer was truncated.
    pub fn cut_off() -> Self {
        let reason = "the response was cut off at the limit of output tokens";
        Self::new(Status::Limit, reason)
    }

    /// Whether the final state of the environment is recorded after this result: the agent answered
    /// or reached a limit.
    pub fn has_final_state(result: &Result<String, Self>) -> bool {
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
            // A limit reached by the agent's own code counts as the agent's failure; external
            // causes do not.
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
