//! What happens to a request on its way through the providers around a provider.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ProviderError;
use crate::model::{Usage, WaitReason};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CallEvent {
    /// The request failed and is sent again after `delay`.
    Retried {
        /// How it failed.
        error: ProviderError,
        /// Time until it is sent again.
        delay: Duration,
    },
    /// The request begins to wait; [`CallEvent::Waited`] ends it.
    Waiting {
        /// What for.
        reason: WaitReason,
    },
    /// The request waited before it was sent. Counts as waiting, not as working time.
    Waited {
        /// What for.
        reason: WaitReason,
        /// How long.
        duration: Duration,
    },
    /// A try that gave no response has used tokens nevertheless: it was refused by a filter, cut off, or could not
    /// be read. The try's error follows.
    Billed {
        /// Tokens, as the server or else the harness counted them.
        usage: Usage,
        /// US dollars; none if unknown.
        cost_usd: Option<f64>,
    },
}

/// Takes the events of one call.
pub trait CallSink: Send + Sync {
    /// Takes one event. Must not block.
    fn note(&self, event: CallEvent);

    /// Whether the call may be sent again after a failure, which may cost once more.
    fn may_send_again(&self) -> bool {
        true
    }
}

/// A sink that drops every event.
#[derive(Debug, Clone, Copy, Default)]
pub struct IgnoreCalls;

impl CallSink for IgnoreCalls {
    fn note(&self, _event: CallEvent) {}
}
