//! Budgets of this process and of others: limits, and amounts that are spent or expected to be
//! spent.

use std::any::Any;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

pub use crate::model::Budget;
use crate::model::Usage;
use crate::provider::{Estimate, Forecast, ProviderError};

/// Amounts spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// US dollars, for calls with a known cost.
    pub cost_usd: f64,
    /// Tokens, for calls with a known token count.
    pub tokens: u64,
    /// Requests to models, not counting retries.
    pub calls: u64,
}

impl Spent {
    /// Returns the spending of calls with this total usage and cost. Unknown amounts count as 0.
    pub fn new(usage: Option<Usage>, cost_usd: Option<f64>, calls: u64) -> Self {
        Self {
            cost_usd: cost_usd.unwrap_or(0.0),
            tokens: usage.map_or(0, |usage| usage.total()),
            calls,
        }
    }
}

/// Expected expense of a request, which is reserved before the request is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Expense {
    /// Expense of the likely usage. It must fit if no other call is in progress.
    pub likely: Spent,
    /// Expense of the highest plausible usage. It is reserved, and must fit if other calls are in
    /// progress.
    pub most: Spent,
}

impl Expense {
    /// Returns the expense of a call with this forecast. A call without a forecast is expected to
    /// cost nothing. `calls` is the number of calls to count, 0 for a retry.
    pub(crate) fn new(forecast: Option<Forecast>, calls: u64) -> Self {
        let of = |estimate: Option<Estimate>| {
            let cost_usd = estimate.and_then(|one| one.cost_usd);
            Spent::new(estimate.map(|one| one.usage), cost_usd, calls)
        };
        Self {
            likely: of(forecast.map(|forecast| forecast.likely)),
            most: of(forecast.map(|forecast| forecast.most)),
        }
    }

    /// Returns the expense of a retry, which does not count as a call.
    pub(crate) const fn of_retry(mut self) -> Self {
        self.likely.calls = 0;
        self.most.calls = 0;
        self
    }
}

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
