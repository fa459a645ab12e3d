//! A budget kept outside this process, such as one that several machines share.

use async_trait::async_trait;

use crate::provider::ProviderError;

/// Admits the requests of a run.
#[async_trait]
pub trait ExternalBudget: Send + Sync {
    /// Takes one request from the budget before it is sent, and waits for permission.
    ///
    /// # Errors
    /// Returns [`ProviderError::OverBudget`] if nothing is left; the run then halts.
    async fn admit(&self) -> Result<(), ProviderError>;

    /// Returns the reason why nothing more may be spent, if any.
    fn exhausted(&self) -> Option<ProviderError>;
}
