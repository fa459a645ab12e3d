//! Stops a whole run or one attempt early. The first reason, usually detected by a model call,
//! counts.

use tokio::sync::watch;

/// Reason why no attempt of a run can continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HaltReason {
    /// Every further request would also fail: the provider rejects the key, the account is out of
    /// credit, or a cassette, cache or journal cannot be written. Contains the message of the
    /// provider or the system.
    Failing(String),
    /// A budget of the run is used up. Contains the name of the budget, the amount spent and the
    /// limit.
    OverBudget(String),
}

impl HaltReason {
    /// Returns the human-readable reason.
    pub fn message(&self) -> &str {
        match self {
            Self::Failing(message) | Self::OverBudget(message) => message,
        }
    }
}

/// Switch that halts all attempts of a run, or one attempt.
#[derive(Debug)]
pub(crate) struct Halt<R = HaltReason>(watch::Sender<Option<R>>);

impl<R> Default for Halt<R> {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

impl<R: Clone> Halt<R> {
    /// Raises a reason. Later reasons do not replace the first one.
    pub fn raise(&self, reason: R) {
        self.0.send_if_modified(|known| {
            let first = known.is_none();
            known.get_or_insert(reason);
            first
        });
    }

    /// Returns the reason, if one was raised.
    pub fn reason(&self) -> Option<R> {
        self.0.borrow().clone()
    }

    /// Waits until a reason is raised, and returns it.
    pub async fn raised(&self) -> R {
        let mut seen = self.0.subscribe();
        // The channel never closes, because `self` owns the sender.
        match seen
            .wait_for(Option::is_some)
            .await
            .map(|known| known.clone())
        {
            Ok(Some(reason)) => reason,
            _ => std::future::pending().await,
        }
    }
}
