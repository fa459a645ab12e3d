//! Budgets managed outside this process, for example a budget shared by several machines.

use std::any::Any;

use async_trait::async_trait;

use super::Expense;
use crate::provider::ProviderError;

/// A reservation in an [`ExternalBudget`]. Dropping it releases the reserved amount.
pub type Hold = Box<dyn Any + Send + Sync>;

/// Admits the requests of a run within a budget managed outside this process.
#[async_trait]
pub trait ExternalBudget: Send + Sync {
    /// Reserves the expense of a request before it is sent. Waits while the reservations of other
    /// requests leave no room.
    ///
    /// # Errors
    /// Returns [`ProviderError::OverBudget`] if the request does not fit; the run then halts.
    async fn reserve(&self, expense: Expense) -> Result<Hold, ProviderError>;

    /// Returns an error if the budget is used up.
    fn exhausted(&self) -> Option<ProviderError>;
}
