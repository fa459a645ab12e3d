//! Stops a whole run early. The first reason, usually detected by a model call, halts all attempts.

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

/// Switch that halts all attempts of a run.
#[derive(Debug)]
pub(crate) struct Halt(watch::Sender<Option<HaltReason>>);

impl Default for Halt {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

impl Halt {
    /// Halts the run. Later reasons do not replace the first one.
    pub fn raise(&self, reason: HaltReason) {
        self.0.send_if_modified(|known| {
            let first = known.is_none();
            known.get_or_insert(reason);
            first
        });
    }

    /// Returns the reason for halting the run, if it is halted.
    pub fn reason(&self) -> Option<HaltReason> {
        self.0.borrow().clone()
    }

    /// Waits until the run is halted, and returns the reason.
    pub async fn raised(&self) -> HaltReason {
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
