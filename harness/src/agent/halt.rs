//! What stops a whole run early: detected by one call, reported to whoever runs the attempts.

use tokio::sync::watch;

/// Why no attempt of a run can go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HaltReason {
    /// Every further request would fail, too: a provider refuses the key, its account has no credit left, or a cassette
    /// or cache cannot be written. Says which, with the provider's or the system's own words.
    Failing(String),
    /// A budget of the run is used up. Says which, and how far.
    OverBudget(String),
}

impl HaltReason {
    /// What happened, for people.
    pub fn message(&self) -> &str {
        match self {
            Self::Failing(message) | Self::OverBudget(message) => message,
        }
    }
}

/// A switch that one call turns and all attempts of a run see. The first reason stays.
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

    /// Why the run ends, if it does.
    pub fn reason(&self) -> Option<HaltReason> {
        self.0.borrow().clone()
    }

    /// Ends when the run is to end.
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
