//! Events of a session: those of each REPL, and the loss of the isolate.

use crate::message::{Call, CallId, CellOutcome, FunctionCall};

/// Event in an agent's REPL.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The running cell called `rlm()` or `llm()`.
    Called(Call),
    /// The running cell called a host function.
    Invoked(FunctionCall),
    /// The running cell requested the status of one of its calls.
    /// [`Repl::settle_function`](crate::Repl::settle_function) with the id `call` answers the
    /// request.
    StatusRequested {
        /// Id of the request, which is a call itself.
        call: CallId,
        /// Call whose status is requested.
        of: CallId,
    },
    /// The running cell cancelled a call; its answer will be dropped.
    Cancelled(CallId),
    /// The running cell ended.
    Finished(CellOutcome),
    /// Answer to [`Repl::request_call_context`](crate::Repl::request_call_context).
    CallContext {
        /// Call whose context was requested.
        call: CallId,
        /// Text of the context argument, or the reason why it is unavailable.
        text: Result<String, String>,
    },
}

/// Error of a session whose isolate ended, so that no code can run in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the sandbox is gone: {detail}")]
pub struct SessionLost {
    /// Cause of the end.
    pub cause: SessionLostCause,
    /// Details of the end, such as the signal or the limit.
    pub detail: String,
}

/// Cause of the end of an isolate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionLostCause {
    /// The code that ran in the isolate.
    OwnCode,
    /// An external cause: the worker process was killed from outside.
    Outside,
    /// A recorded step could not be repeated.
    Diverged,
}

impl SessionLost {
    pub(crate) fn own_code(detail: impl Into<String>) -> Self {
        Self {
            cause: SessionLostCause::OwnCode,
            detail: detail.into(),
        }
    }

    pub(crate) fn diverged(detail: impl Into<String>) -> Self {
        Self {
            cause: SessionLostCause::Diverged,
            detail: detail.into(),
        }
    }

    pub(crate) fn outside(detail: impl Into<String>) -> Self {
        Self {
            cause: SessionLostCause::Outside,
            detail: detail.into(),
        }
    }

    pub(crate) fn unknown() -> Self {
        Self::own_code("its thread ended")
    }
}
