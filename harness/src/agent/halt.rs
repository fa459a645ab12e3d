//! Stops a whole run early: one call detects the reason, and the runner of the attempts reports it.

use tokio::sync::watch;

/// Reason why no attempt of a run can continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HaltReason {
    /// Every further request would fail as well: a provider rejects the key, its account has no
    /// credit left, or a cassette or cache cannot be written. Contains the message of the
    /// provider or the system.
    Failing(String),
    /// A budget of the run is used up. Contains its name and the amounts.
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

/// Switch that halts all attempts of a run. The first reason is kept.
#[derive(Debug)]
pub(crate) struct Halt(watch::Sender<Option<HaltReason>>);

impl Default for Halt {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

impl Halt {
    /// Ends the run.
    pub fn raise(&self, reason: HaltReason) {
        self.0.send_if_modified(|known| {
            let first = known.is_none();
            known.get_or_insert(reason);
            first
        });
    }

    /// Returns the reason why the run ends, if it does.
    pub fn reason(&self) -> Option<HaltReason> {
        self.0.borrow().clone()
    }

    /// Waits until the run must end.
    pub async fn raised(&self) -> HaltReason {
        let mut seen = self.0.subscribe();
        // The sender lives as long as `self`.
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
