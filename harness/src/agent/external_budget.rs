//! A budget kept outside this process, such as one that several machines share.

use std::any::Any;

use async_trait::async_trait;

use super::Spent;
use crate::provider::ProviderError;

/// Expense to reserve before a request is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Expense {
    /// Expense with the likely usage.
    pub likely: Spent,
    /// Expense with the highest plausible usage.
    pub most: Spent,
}

/// A reservation in a [`ExternalBudget`]. Dropping it releases the reserved amount.
pub type Hold = Box<dyn Any + Send + Sync>;

/// Admits the requests of a run.
#[async_trait]
pub trait ExternalBudget: Send + Sync {
    /// Reserves the expense of a request before it is sent. Waits while other requests leave no
    /// room.
    ///
    /// # Errors
    /// Returns [`ProviderError::OverBudget`] if the request does not fit; the run then halts.
    async fn reserve(&self, expense: Expense) -> Result<Hold, ProviderError>;

    /// Returns the reason why nothing more may be spent, if any.
    fn exhausted(&self) -> Option<ProviderError>;
}
