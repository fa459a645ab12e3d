//! The loss of a session's isolate.

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
