//! Budgets of several runs, of a command, or of a server's clients and requests.

use std::sync::Arc;

use super::super::{Budget, Expense, Spent};
use super::{Ledger, Reservation, Scope};
use crate::provider::{Forecast, ProviderError};

/// Budget and spending of several runs together, of a command that calls models without a run, or
/// of a server's client or request. Cheap to clone; all clones share one ledger.
#[derive(Debug, Clone)]
pub struct SharedBudget(Arc<Ledger>);

impl SharedBudget {
    /// Creates a budget for several runs. The time limit starts now.
    pub fn new(budget: Budget) -> Self {
        Self(Ledger::new(Scope::Sweep, budget, None))
    }

    /// Creates the budget of a command whose budget flags have the same names as a run's.
    pub fn of_command(budget: Budget) -> Self {
        Self(Ledger::new(Scope::Run, budget, None))
    }

    /// Creates the budget of a server's client. The client's spending also counts in `self`.
    #[must_use]
    pub fn of_client(&self, budget: Budget) -> Self {
        self.under(Scope::Client, budget)
    }

    /// Creates the budget of a client's request. The request's spending also counts in `self`. The
    /// time limit starts now; the attempt ends when it expires.
    #[must_use]
    pub fn of_request(&self, budget: Budget) -> Self {
        self.under(Scope::Request, budget)
    }

    fn under(&self, scope: Scope, budget: Budget) -> Self {
        Self(Ledger::new(scope, budget, Some(&self.0)))
    }

    pub(crate) const fn ledger(&self) -> &Arc<Ledger> {
        &self.0
    }

    /// Adds spending to this budget but not to its parents, for example spending of an earlier
    /// process.
    pub fn charge(&self, earlier: Spent) {
        self.0.charge(earlier);
    }

    /// Adds spending that does not come from agents' calls to this budget and its parents.
    pub fn book(&self, spent: Spent) {
        self.0.add(spent);
    }

    /// Reserves the expected expense of a call that is not made by an agent. The call is not
    /// counted. Waits while other calls in progress leave no room.
    ///
    /// # Errors
    /// Returns [`ProviderError::OverBudget`] if the call does not fit.
    pub async fn reserve(&self, forecast: Option<Forecast>) -> Result<Reservation, ProviderError> {
        let reserved = self.0.reserve(Expense::new(forecast, 0)).await;
        reserved.map_err(|overdrawn| overdrawn.error)
    }

    /// Returns the amounts spent.
    pub fn spent(&self) -> Spent {
        self.0.spent()
    }

    /// Returns an error if nothing more may be spent.
    pub fn exhausted(&self) -> Option<ProviderError> {
        self.0.exhausted()
    }
}
