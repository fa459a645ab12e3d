//! Budgets and spending. Each attempt has one ledger for its whole tree of agents. Above it is the
//! ledger of the run and, in a sweep, the ledger of the sweep.
//!
//! Invariant: a call is sent only after its highest plausible expense has been reserved in its
//! ledger and in all parent ledgers. While other calls are in progress, the sum of spending and
//! reservations must stay within each budget. If no other call is in progress, only the likely
//! expense must fit. Therefore a budget can be exceeded only by the amount by which responses
//! exceed their estimates.

mod limits;
mod shared_budget;

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::{Budget, Expense, Hold, Spent};
use crate::provider::ProviderError;

pub use shared_budget::SharedBudget;

/// Owner of a budget. The names of the budget's flags depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Sweep,
    Run,
    /// All requests of one client of a server.
    Client,
    /// One request of a client.
    Request,
    Attempt,
    /// One `rlm()` or `llm()` call, including its descendants.
    Call,
}

/// Budget and spending of one [`Scope`].
#[derive(Debug)]
pub(crate) struct Ledger {
    scope: Scope,
    budget: Budget,
    began: Instant,
    books: Mutex<Books>,
    /// Notifies waiting calls when a reservation is released. All ledgers of a tree share it.
    released: Arc<Notify>,
    /// Parent ledger, such as the run's for an attempt. Spending counts in both.
    above: Option<Arc<Ledger>>,
}

#[derive(Debug, Default)]
struct Books {
    spent: Spent,
    /// Sum of the reserved cost and tokens of calls in progress.
    reserved: Spent,
    /// Number of calls in progress.
    under_way: usize,
    /// Error of the first call that did not fit although no other call was in progress.
    refused: Option<ProviderError>,
}

/// Reason why a call was not admitted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Refusal {
    /// The call may fit after other calls have ended.
    Wait,
    /// The call does not fit.
    BudgetExceeded(BudgetExceeded),
}

/// Reserved expense of a call in progress. Dropping it releases the reservation; the actual usage
/// is booked separately.
#[derive(Debug)]
pub struct Reservation {
    ledger: Arc<Ledger>,
    expense: Expense,
    /// Reservation in an external budget, released after the one in the ledger.
    hold: Option<Hold>,
}

impl Reservation {
    /// Attaches a reservation in an external budget. Dropping this reservation releases both.
    pub(crate) fn with_hold(mut self, hold: Option<Hold>) -> Self {
        self.hold = hold;
        self
    }

    pub(crate) const fn expense(&self) -> Expense {
        self.expense
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.ledger.release(self.expense);
        self.ledger.released.notify_waiters();
    }
}

/// Error for a call that a budget does not allow.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BudgetExceeded {
    pub scope: Scope,
    pub error: ProviderError,
}

impl Ledger {
    /// Creates a ledger, with the parent ledger `above` if there is one.
    pub fn new(scope: Scope, budget: Budget, above: Option<&Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            scope,
            budget,
            began: Instant::now(),
            books: Mutex::default(),
            released: above.map_or_else(Arc::default, |above| Arc::clone(&above.released)),
            above: above.map(Arc::clone),
        })
    }

    /// Reserves the expected expense of a call in this ledger and all parents. Waits while other
    /// calls in progress leave no room.
    ///
    /// # Errors
    /// Returns [`BudgetExceeded`], without reserving anything, if a budget is used up or the call
    /// does not fit.
    pub async fn reserve(
        self: &Arc<Self>,
        expense: Expense,
    ) -> Result<Reservation, BudgetExceeded> {
        loop {
            // Enabled before the attempt to reserve, so that no release in between is missed.
            let released = self.released.notified();
            tokio::pin!(released);
            released.as_mut().enable();
            match self.try_reserve(expense) {
                Ok(reservation) => return Ok(reservation),
                Err(Refusal::BudgetExceeded(overdrawn)) => return Err(overdrawn),
                Err(Refusal::Wait) => released.await,
            }
        }
    }

    /// Like [`reserve`](Self::reserve), but returns [`Refusal::Wait`] instead of waiting.
    pub fn try_reserve(self: &Arc<Self>, expense: Expense) -> Result<Reservation, Refusal> {
        self.take(expense)?;
        Ok(Reservation {
            ledger: Arc::clone(self),
            expense,
            hold: None,
        })
    }

    fn take(&self, expense: Expense) -> Result<(), Refusal> {
        let Expense { likely, most } = expense;
        let mut books = self.books.lock();
        let overdrawn = |error| {
            let scope = self.scope;
            Refusal::BudgetExceeded(BudgetExceeded { scope, error })
        };
        // A retry belongs to an admitted call, so limits on calls and time do not prevent it.
        let budget = Budget {
            calls: self.budget.calls.filter(|_| most.calls > 0),
            time: self.budget.time.filter(|_| most.calls > 0),
            ..self.budget
        };
        if let Some(error) = self.exceeded_limit(&budget, &books.spent) {
            return Err(overdrawn(error));
        }
        if books.under_way > 0 {
            if self.does_not_fit(&books, most).is_some() {
                return Err(Refusal::Wait);
            }
        } else if let Some(error) = self.does_not_fit(&books, likely) {
            books.refused.get_or_insert_with(|| error.clone());
            return Err(overdrawn(error));
        }
        if let Some(above) = &self.above {
            above.take(expense)?;
        }
        books.spent.calls += most.calls;
        books.under_way += 1;
        books.reserved.cost_usd += most.cost_usd;
        books.reserved.tokens = books.reserved.tokens.saturating_add(most.tokens);
        Ok(())
    }

    fn release(&self, expense: Expense) {
        let mut books = self.books.lock();
        books.under_way -= 1;
        let most = expense.most;
        books.reserved.tokens = books.reserved.tokens.saturating_sub(most.tokens);
        books.reserved.cost_usd -= most.cost_usd;
        if books.under_way == 0 {
            // Resets the rounding errors that subtraction leaves.
            books.reserved = Spent::default();
        }
        drop(books);
        if let Some(above) = &self.above {
            above.release(expense);
        }
    }

    /// Adds spending to this ledger and all parents. Calls of agents are already counted when they
    /// are reserved.
    pub fn add(&self, more: Spent) {
        self.charge(more);
        if let Some(above) = &self.above {
            above.add(more);
        }
    }

    /// Adds spending of an earlier process to this ledger only. The parents already include it.
    pub fn charge(&self, earlier: Spent) {
        let spent = &mut self.books.lock().spent;
        spent.cost_usd += earlier.cost_usd;
        spent.tokens = spent.tokens.saturating_add(earlier.tokens);
        spent.calls = spent.calls.saturating_add(earlier.calls);
    }

    /// Adds spending of an earlier process to the ledgers of the call and the attempt. The run's
    /// ledger already includes it.
    pub fn charge_attempt(&self, earlier: Spent) {
        self.charge(earlier);
        if let (Scope::Call, Some(above)) = (self.scope, &self.above) {
            above.charge_attempt(earlier);
        }
    }

    pub fn spent(&self) -> Spent {
        self.books.lock().spent
    }

    /// Returns an error if nothing more may be spent: a budget of this ledger or a parent is used
    /// up, or a call did not fit into the budget of the run or sweep.
    pub fn exhausted(&self) -> Option<ProviderError> {
        let books = self.books.lock();
        let ends = matches!(self.scope, Scope::Run | Scope::Sweep);
        let refused = books.refused.clone().filter(|_| ends);
        let own = self.exceeded_limit(&self.budget, &books.spent).or(refused);
        drop(books);
        own.or_else(|| self.above.as_ref()?.exhausted())
    }

    /// Returns the remaining time if this is the ledger of a client's request with a time limit.
    pub fn left_of_request(&self) -> Option<Duration> {
        let most = self.budget.time.filter(|_| self.scope == Scope::Request);
        most.map(|most| most.saturating_sub(self.began.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Usage;

    fn spent(tokens: u64, cost_usd: f64) -> Spent {
        let usage = Usage {
            input_tokens: tokens - 1,
            output_tokens: 1,
            ..Usage::default()
        };
        Spent::new(Some(usage), Some(cost_usd), 0)
    }

    #[test]
    fn counts_spending_in_both_ledgers() {
        let of_run = Budget {
            cost_usd: Some(1.0),
            calls: Some(3),
            ..Budget::default()
        };
        let run = Ledger::new(Scope::Run, of_run, None);
        let budget = Budget {
            tokens: Some(100),
            calls: Some(2),
            ..Budget::default()
        };
        let first = Ledger::new(Scope::Attempt, budget, Some(&run));
        let second = Ledger::new(Scope::Attempt, budget, Some(&run));
        let call = |ledger: &Arc<Ledger>| ledger.try_reserve(Expense::new(None, 1)).map(drop);
        assert_eq!(call(&first), Ok(()));
        first.add(spent(60, 0.25));
        let left = Budget {
            cost_usd: Some(0.75),
            tokens: Some(40),
            calls: Some(1),
            time: None,
        };
        assert_eq!(first.left(), left);
        assert_eq!(call(&first), Ok(()));
        let message = |refused: Result<(), Refusal>| match refused {
            Err(Refusal::BudgetExceeded(BudgetExceeded { scope, error })) => {
                Err((scope, error.to_string()))
            }
            other => panic!("{other:?}"),
        };
        let own = "the --attempt-max-llm-calls budget is used up (2 calls of 2 calls)";
        assert_eq!(
            message(call(&first)),
            Err::<(), _>((Scope::Attempt, own.to_owned()))
        );
        assert_eq!(second.left().calls, Some(1));
        assert_eq!(call(&second), Ok(()));
        second.add(Spent::new(None, None, 0));
        let whole = "the --max-llm-calls budget is used up (3 calls of 3 calls)";
        assert_eq!(
            message(call(&second)),
            Err::<(), _>((Scope::Run, whole.to_owned()))
        );
        assert_eq!(second.spent().calls, 1, "a refused call is not booked");
        let spent = Spent {
            cost_usd: 0.25,
            tokens: 60,
            calls: 3,
        };
        assert_eq!(run.spent(), spent);
    }

    #[test]
    fn reports_exhausted_budgets() {
        let rows = [
            (
                Budget {
                    cost_usd: Some(0.5),
                    ..Budget::default()
                },
                "the --max-cost budget is used up ($0.5000 of $0.5)",
            ),
            (
                Budget {
                    tokens: Some(10),
                    ..Budget::default()
                },
                "the --max-tokens budget is used up (10 tokens of 10 tokens)",
            ),
            (
                Budget {
                    time: Some(Duration::ZERO),
                    ..Budget::default()
                },
                "the --time-limit budget is used up (0.0 s of 0 s)",
            ),
        ];
        for (budget, wanted) in rows {
            let ledger = Ledger::new(Scope::Run, budget, None);
            ledger.add(spent(10, 0.5));
            assert_eq!(ledger.exhausted().unwrap().to_string(), wanted);
        }
    }

    #[tokio::test]
    async fn waits_for_calls_in_progress_and_refuses_without_any() {
        let budget = Budget {
            cost_usd: Some(1.0),
            ..Budget::default()
        };
        let run = Ledger::new(Scope::Run, budget, None);
        let expense = |cost_usd, calls| {
            let amount = Spent {
                cost_usd,
                tokens: 0,
                calls,
            };
            Expense {
                likely: amount,
                most: amount,
            }
        };
        let first = run.try_reserve(expense(0.6, 1)).unwrap();
        let refused = run.try_reserve(expense(0.5, 1)).unwrap_err();
        assert_eq!(refused, Refusal::Wait);
        let waiting = tokio::spawn({
            let run = Arc::clone(&run);
            async move { run.reserve(expense(0.5, 1)).await }
        });
        // The response costs less than expected, so there is now room for the waiting call.
        run.add(Spent::new(None, Some(0.3), 0));
        drop(first);
        drop(waiting.await.unwrap().unwrap());
        run.add(Spent::new(None, Some(0.5), 0));
        assert_eq!(run.exhausted(), None);
        let refused = run.reserve(expense(0.3, 1)).await.unwrap_err();
        let message =
            "the --max-cost budget is used up ($0.8000 of $1; the next call may cost $0.3000)";
        assert_eq!(refused.error.to_string(), message);
        assert_eq!(run.exhausted(), Some(refused.error));
        assert!(run.try_reserve(expense(0.2, 0)).is_ok());
        assert_eq!(
            run.spent().calls,
            2,
            "refused calls and retries are not counted"
        );
    }
}
