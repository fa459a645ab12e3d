//! Events of a model call, reported by the layers around a provider.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::ProviderError;
use crate::model::{Usage, WaitReason};

/// An event of a model call: a retry, a wait or an expense.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CallEvent {
    /// The request failed and will be retried after `delay`.
    Retried {
        /// Reason for the retry.
        error: ProviderError,
        /// Time until the retry.
        delay: Duration,
    },
    /// The request starts to wait. [`CallEvent::Waited`] follows when the wait ends.
    Waiting {
        /// Reason for waiting.
        reason: WaitReason,
    },
    /// The request has waited before it was sent. The wait does not count as working time.
    Waited {
        /// Reason for waiting.
        reason: WaitReason,
        /// Duration of the wait.
        duration: Duration,
    },
    /// A try has used tokens without a usable response, because the response was filtered,
    /// interrupted or invalid. The error is reported next: in [`CallEvent::Retried`], or as the
    /// result of the call.
    Billed {
        /// Tokens, as counted by the server or estimated by the harness.
        usage: Usage,
        /// Cost in US dollars; `None` if unknown.
        cost_usd: Option<f64>,
    },
}

/// Receives the events of one call.
#[async_trait]
pub trait CallSink: Send + Sync {
    /// Receives one event. Implementations must not block.
    fn note(&self, event: CallEvent);

    /// Whether the call may be retried after a failure. A retry may add to the cost, so this waits
    /// until a budget allows or refuses it.
    async fn may_send_again(&self) -> bool {
        true
    }
}

/// Awaits `wait` and reports its start and end.
pub(super) async fn report_wait<T>(
    calls: &dyn CallSink,
    reason: WaitReason,
    wait: impl Future<Output = T>,
) -> T {
    let began = Instant::now();
    calls.note(CallEvent::Waiting { reason });
    let result = wait.await;
    let duration = began.elapsed();
    calls.note(CallEvent::Waited { reason, duration });
    result
}

/// A sink that ignores all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct IgnoreCalls;

impl CallSink for IgnoreCalls {
    fn note(&self, _event: CallEvent) {}
}
