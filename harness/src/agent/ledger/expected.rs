//! Expected expense of a call.

use super::super::{Expense, Spent};
use crate::provider::{Estimate, Forecast};

/// Expected expense of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Expected {
    /// Expense of the likely usage. It must fit if no other call is in progress.
    pub(super) likely: Amount,
    /// Expense of the highest plausible usage. It is reserved, and must fit if other calls are in
    /// progress.
    pub(super) most: Amount,
}

impl Expected {
    /// Returns the expense to reserve in an external budget. `calls` is the number of calls to
    /// count.
    pub fn expense(self, calls: u64) -> Expense {
        let of = |amount: Amount| Spent {
            cost_usd: amount.cost_usd,
            tokens: amount.tokens,
            calls,
        };
        Expense {
            likely: of(self.likely),
            most: of(self.most),
        }
    }
}

/// An amount of money and tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Amount {
    pub(super) cost_usd: f64,
    pub(super) tokens: u64,
}

impl From<Estimate> for Amount {
    fn from(estimate: Estimate) -> Self {
        Self {
            cost_usd: estimate.cost_usd.unwrap_or(0.0),
            tokens: estimate.usage.total(),
        }
    }
}

impl From<Option<Forecast>> for Expected {
    /// Converts a forecast. A call without a forecast is expected to cost nothing.
    fn from(forecast: Option<Forecast>) -> Self {
        forecast.map_or_else(Self::default, |Forecast { likely, most }| Self {
            likely: likely.into(),
            most: most.into(),
        })
    }
}
