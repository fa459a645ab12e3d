//! A budget that is kept outside of this process, such as one that several machines share.

use async_trait::async_trait;

use crate::provider::ProviderError;

/// Who lets requests of a run through.
#[async_trait]
pub trait Purse: Send + Sync {
    /// Takes one request from the budget before it is sent, and waits until it is known whether it may be.
    ///
    /// # Errors
    /// [`ProviderError::OverBudget`] if nothing is left: then the run halts.
    async fn admit(&self) -> Result<(), ProviderError>;

    /// Why nothing more may be spent, if that is known.
    fn exhausted(&self) -> Option<ProviderError>;
}
