//! Why an agent gave no answer, and what of other errors becomes of it.

use sandbox::LostCause;

use crate::model::Status;
use crate::model::web::PageError;
use crate::provider::ProviderError;
use crate::tool::ToolError;

/// Why an agent gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub status: Status,
    pub reason: String,
}

impl Failure {
    /// That of an agent which is gone before it answered.
    pub fn ended() -> Self {
        Self {
            status: Status::Error,
            reason: "it ended before it answered".to_owned(),
        }
    }

    /// The error of a call as the failure of its agent.
    pub fn of_tool(error: ToolError) -> Self {
        Self {
            status: Status::Error,
            reason: error.0,
        }
    }

    /// Whether an attempt with this result is judged by the state of its world: not where something broke or was stopped.
    pub fn leaves_a_state(result: &Result<String, Self>) -> bool {
        !matches!(result, Err(failure) if failure.status != Status::Limit)
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        Self {
            status: match error {
                ProviderError::OverBudget { .. } | ProviderError::ContextOverflow { .. } => {
                    Status::Limit
                }
                _ => Status::Error,
            },
            reason: error.to_string(),
        }
    }
}

impl From<sandbox::Lost> for Failure {
    fn from(lost: sandbox::Lost) -> Self {
        Self {
            // What its own code brought about is the agent's; what was done to it from outside is not.
            status: match lost.cause {
                LostCause::OwnCode => Status::Limit,
                LostCause::Outside | LostCause::Diverged => Status::Error,
            },
            reason: lost.to_string(),
        }
    }
}

/// Where a page's problem ends an attempt, it is the world's and not the agent's.
impl From<PageError> for Failure {
    fn from(error: PageError) -> Self {
        Self {
            status: Status::Error,
            reason: error.message,
        }
    }
}
