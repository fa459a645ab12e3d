//! Budgets and spending. Each attempt has one ledger for its whole tree of agents. Above it is the
//! ledger of the run and, in a sweep, the ledger of the sweep.
//!
//! Invariant: a call is sent only after its highest plausible expense has been reserved in its
//! ledger and in all parent ledgers. While other calls are in progress, the sum of spending and
//! reservations must stay within each budget. If no other call is in progress, only the likely
//! expense must fit. Therefore a budget can be exceeded only by the amount by which responses
//! exceed their estimates.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use super::{Budget, Expense, Hold, Spent};
use crate::model::{Usage, settled};
use crate::provider::{Estimate, Forecast, ProviderError};

/// Amounts that remain under all applicable budgets. `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Remaining {
    pub cost_usd: Option<f64>,
    pub tokens: Option<u64>,
    pub calls: Option<u64>,
    pub time: Option<Duration>,
}

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

/// Expected expense of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Expected {
    /// Expense of the likely usage. It must fit if no other call is in progress.
    likely: Amount,
    /// Expense of the highest plausible usage. It is reserved, and must fit if other calls are in
    /// progress.
    most: Amount,
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
struct Amount {
    cost_usd: f64,
    tokens: u64,
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
    /// Sum of the reservations of calls in progress.
    reserved: Amount,
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
    expected: Expected,
    /// Reservation in an external budget, released after the one in the ledger.
    hold: Option<Hold>,
}

impl Reservation {
    /// Attaches a reservation in an external budget. Dropping this reservation releases both.
    pub(crate) fn with_hold(mut self, hold: Option<Hold>) -> Self {
        self.hold = hold;
        self
    }

    pub(crate) const fn expected(&self) -> Expected {
        self.expected
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.ledger.release(self.expected);
        self.ledger.released.notify_waiters();
    }
}

/// Budget and spending of several runs together, of a command that calls models without a run, or
/// of a server's client or request. Cheap to clone; all clones share one ledger.
#[derive(Debug, Clone)]
pub struct SharedBudget(Arc<Ledger>);

impl SharedBudget {
    /// Creates a budget for several runs. The time limit starts now.
    pub fn new(budget: Budget) -> Self {
        Self(Arc::new(Ledger::new(Scope::Sweep, budget, None)))
    }

    /// Creates the budget of a command whose budget flags have the same names as a run's.
    pub fn of_command(budget: Budget) -> Self {
        Self(Arc::new(Ledger::of_run(budget)))
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
        Self(Arc::new(Ledger::new(scope, budget, Some(&self.0))))
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
        let reserved = self.0.reserve(forecast.into(), 0).await;
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

/// Error for a call that a budget does not allow.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BudgetExceeded {
    pub scope: Scope,
    pub error: ProviderError,
}

impl Ledger {
    fn new(scope: Scope, budget: Budget, above: Option<&Arc<Self>>) -> Self {
        Self {
            scope,
            budget,
            began: Instant::now(),
            books: Mutex::default(),
            released: above.map_or_else(Arc::default, |above| Arc::clone(&above.released)),
            above: above.map(Arc::clone),
        }
    }

    pub fn of_run(budget: Budget) -> Self {
        Self::new(Scope::Run, budget, None)
    }

    pub fn of_attempt(budget: Budget, run: &Arc<Self>) -> Self {
        Self::new(Scope::Attempt, budget, Some(run))
    }

    /// Creates the ledger of one call. Its parent is the caller's ledger.
    pub fn of_call(budget: Budget, caller: &Arc<Self>) -> Self {
        Self::new(Scope::Call, budget, Some(caller))
    }

    /// Creates the ledger of a run. Its parent is the ledger of a budget shared by several runs.
    pub fn of_run_within(budget: Budget, above: &SharedBudget) -> Self {
        Self::new(Scope::Run, budget, Some(&above.0))
    }

    /// Reserves the expected expense of a call in this ledger and all parents. `calls` is the
    /// number of calls to count, 0 for a retry. Waits while other calls in progress leave no room.
    ///
    /// # Errors
    /// Returns [`BudgetExceeded`], without reserving anything, if a budget is used up or the call
    /// does not fit.
    pub async fn reserve(
        self: &Arc<Self>,
        expected: Expected,
        calls: u64,
    ) -> Result<Reservation, BudgetExceeded> {
        loop {
            // Enabled before the attempt to reserve, so that no release in between is missed.
            let released = self.released.notified();
            tokio::pin!(released);
            released.as_mut().enable();
            match self.try_reserve(expected, calls) {
                Ok(reservation) => return Ok(reservation),
                Err(Refusal::BudgetExceeded(overdrawn)) => return Err(overdrawn),
                Err(Refusal::Wait) => released.await,
            }
        }
    }

    /// Like [`reserve`](Self::reserve), but returns [`Refusal::Wait`] instead of waiting.
    pub fn try_reserve(
        self: &Arc<Self>,
        expected: Expected,
        calls: u64,
    ) -> Result<Reservation, Refusal> {
        self.take(expected, calls)?;
        Ok(Reservation {
            ledger: Arc::clone(self),
            expected,
            hold: None,
        })
    }

    fn take(&self, expected: Expected, calls: u64) -> Result<(), Refusal> {
        let mut books = self.lock();
        let overdrawn = |error| {
            let scope = self.scope;
            Refusal::BudgetExceeded(BudgetExceeded { scope, error })
        };
        // A retry belongs to an admitted call, so limits on calls and time do not prevent it.
        let budget = Budget {
            calls: self.budget.calls.filter(|_| calls > 0),
            time: self.budget.time.filter(|_| calls > 0),
            ..self.budget
        };
        if let Some(error) = self.exceeded_limit(&budget, &books.spent) {
            return Err(overdrawn(error));
        }
        if books.under_way > 0 {
            if self.does_not_fit(&books, expected.most).is_some() {
                return Err(Refusal::Wait);
            }
        } else if let Some(error) = self.does_not_fit(&books, expected.likely) {
            books.refused.get_or_insert_with(|| error.clone());
            return Err(overdrawn(error));
        }
        if let Some(above) = &self.above {
            above.take(expected, calls)?;
        }
        books.spent.calls += calls;
        books.under_way += 1;
        let most = expected.most;
        books.reserved.cost_usd += most.cost_usd;
        books.reserved.tokens = books.reserved.tokens.saturating_add(most.tokens);
        Ok(())
    }

    fn release(&self, expected: Expected) {
        let mut books = self.lock();
        books.under_way -= 1;
        let most = expected.most;
        books.reserved.tokens = books.reserved.tokens.saturating_sub(most.tokens);
        books.reserved.cost_usd -= most.cost_usd;
        if books.under_way == 0 {
            // Resets the rounding errors that subtraction leaves.
            books.reserved = Amount::default();
        }
        drop(books);
        if let Some(above) = &self.above {
            above.release(expected);
        }
    }

    /// Returns an error if a call does not fit into the remaining budget.
    fn does_not_fit(&self, books: &Books, expected: Amount) -> Option<ProviderError> {
        let Books {
            spent, reserved, ..
        } = books;
        let [cost_flag, tokens_flag, ..] = self.flags();
        let tokens = spent.tokens.saturating_add(reserved.tokens);
        if let Some(most) = self.budget.tokens
            && expected.tokens > 0
            && tokens.saturating_add(expected.tokens) > most
        {
            let next = counted(expected.tokens, "token");
            return Some(ProviderError::OverBudget {
                budget: tokens_flag.to_owned(),
                spent: counted(spent.tokens, "token"),
                limit: format!("{}; the next call may use {next}", counted(most, "token")),
            });
        }
        let cost = spent.cost_usd + reserved.cost_usd + expected.cost_usd;
        if let Some(most) = self.budget.cost_usd
            && expected.cost_usd > 0.0
            && settled(cost) > most
        {
            let next = expected.cost_usd;
            return Some(ProviderError::OverBudget {
                budget: cost_flag.to_owned(),
                spent: format!("${:.4}", spent.cost_usd),
                limit: format!("${most}; the next call may cost ${next:.4}"),
            });
        }
        None
    }

    /// Adds the usage of a call to the spending of this ledger and all parents.
    pub fn settle(&self, usage: Option<Usage>, cost_usd: Option<f64>) {
        let mut books = self.lock();
        let spent = &mut books.spent;
        let tokens = usage.map_or(0, |usage| usage.total());
        spent.tokens = spent.tokens.saturating_add(tokens);
        spent.cost_usd += cost_usd.unwrap_or(0.0);
        drop(books);
        if let Some(above) = &self.above {
            above.settle(usage, cost_usd);
        }
    }

    /// Adds spending that does not come from agents' calls to this ledger and all parents.
    pub fn add(&self, more: Spent) {
        self.charge(more);
        if let Some(above) = &self.above {
            above.add(more);
        }
    }

    /// Adds spending of an earlier process to this ledger only. The parents already include it.
    pub fn charge(&self, earlier: Spent) {
        let spent = &mut self.lock().spent;
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
        self.lock().spent
    }

    /// Returns an error if nothing more may be spent: a budget of this ledger or a parent is used
    /// up, or a call did not fit into the budget of the run or sweep.
    pub fn exhausted(&self) -> Option<ProviderError> {
        let books = self.lock();
        let ends = matches!(self.scope, Scope::Run | Scope::Sweep);
        let refused = books.refused.clone().filter(|_| ends);
        let own = self.exceeded_limit(&self.budget, &books.spent).or(refused);
        drop(books);
        own.or_else(|| self.above.as_ref()?.exhausted())
    }

    /// Returns the amounts that remain under this ledger and all parents.
    pub fn left(&self) -> Remaining {
        let spent = self.spent();
        let Budget {
            cost_usd,
            tokens,
            calls,
            time,
        } = self.budget;
        let own = Remaining {
            cost_usd: cost_usd.map(|most| (most - spent.cost_usd).max(0.0)),
            tokens: tokens.map(|most| most.saturating_sub(spent.tokens)),
            calls: calls.map(|most| most.saturating_sub(spent.calls)),
            time: time.map(|most| most.saturating_sub(self.began.elapsed())),
        };
        let Some(above) = &self.above else {
            return own;
        };
        let above = above.left();
        Remaining {
            cost_usd: least(own.cost_usd, above.cost_usd),
            tokens: least(own.tokens, above.tokens),
            calls: least(own.calls, above.calls),
            time: least(own.time, above.time),
        }
    }

    /// Returns the remaining time if this is the ledger of a client's request with a time limit.
    pub fn left_of_request(&self) -> Option<Duration> {
        let most = self.budget.time.filter(|_| self.scope == Scope::Request);
        most.map(|most| most.saturating_sub(self.began.elapsed()))
    }

    /// Returns the names of the settings that limit cost, tokens, calls and time, in this order.
    const fn flags(&self) -> [&'static str; 4] {
        match self.scope {
            Scope::Sweep => [
                "sweep's --max-cost",
                "sweep's --max-tokens",
                "sweep's --max-llm-calls",
                "sweep's --time-limit",
            ],
            Scope::Run => [
                "--max-cost",
                "--max-tokens",
                "--max-llm-calls",
                "--time-limit",
            ],
            Scope::Client => [
                "client's max_cost",
                "client's max_tokens",
                "client's max_llm_calls",
                "client's time",
            ],
            Scope::Request => [
                "request's max_cost",
                "request's max_tokens",
                "request's max_llm_calls",
                "request's timeout",
            ],
            Scope::Attempt => [
                "--attempt-max-cost",
                "--attempt-max-tokens",
                "--attempt-max-llm-calls",
                "--attempt-timeout",
            ],
            Scope::Call => ["maxCostUsd", "maxTokens", "calls", "timeoutMs"],
        }
    }

    /// Returns an error if one of the limits is reached.
    fn exceeded_limit(&self, budget: &Budget, spent: &Spent) -> Option<ProviderError> {
        let Budget {
            cost_usd,
            tokens,
            calls,
            time,
        } = *budget;
        let [cost_flag, tokens_flag, calls_flag, time_flag] = self.flags();
        let over = |budget: &str, spent: String, limit: String| {
            Some(ProviderError::OverBudget {
                budget: budget.to_owned(),
                spent,
                limit,
            })
        };
        if let Some(most) = calls
            && spent.calls >= most
        {
            return over(
                calls_flag,
                counted(spent.calls, "call"),
                counted(most, "call"),
            );
        }
        if let Some(most) = tokens
            && spent.tokens >= most
        {
            return over(
                tokens_flag,
                counted(spent.tokens, "token"),
                counted(most, "token"),
            );
        }
        if let Some(most) = cost_usd
            && settled(spent.cost_usd) >= most
        {
            return over(
                cost_flag,
                format!("${:.4}", spent.cost_usd),
                format!("${most}"),
            );
        }
        let passed = self.began.elapsed();
        if let Some(most) = time
            && passed >= most
        {
            let spent = format!("{:.1} s", passed.as_secs_f64());
            return over(time_flag, spent, format!("{} s", most.as_secs_f64()));
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, Books> {
        self.books.lock()
    }
}

/// Formats a count: `1 call`, `2 calls`.
fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Returns the lesser of two limits, either of which may be absent.
fn least<T: PartialOrd>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b < a { b } else { a }),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(tokens: u64) -> Usage {
        Usage {
            input_tokens: tokens - 1,
            output_tokens: 1,
            ..Usage::default()
        }
    }

    #[test]
    fn counts_spending_in_both_ledgers() {
        let run = Arc::new(Ledger::of_run(Budget {
            cost_usd: Some(1.0),
            calls: Some(3),
            ..Budget::default()
        }));
        let budget = Budget {
            tokens: Some(100),
            calls: Some(2),
            ..Budget::default()
        };
        let first = Arc::new(Ledger::of_attempt(budget, &run));
        let second = Arc::new(Ledger::of_attempt(budget, &run));
        let call = |ledger: &Arc<Ledger>| ledger.try_reserve(Expected::default(), 1).map(drop);
        assert_eq!(call(&first), Ok(()));
        first.settle(Some(usage(60)), Some(0.25));
        let left = Remaining {
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
        second.settle(None, None);
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
            let ledger = Ledger::of_run(budget);
            ledger.settle(Some(usage(10)), Some(0.5));
            assert_eq!(ledger.exhausted().unwrap().to_string(), wanted);
        }
    }

    #[tokio::test]
    async fn waits_for_calls_in_progress_and_refuses_without_any() {
        let run = Arc::new(Ledger::of_run(Budget {
            cost_usd: Some(1.0),
            ..Budget::default()
        }));
        let expected = |cost_usd| {
            let amount = Amount {
                cost_usd,
                tokens: 0,
            };
            Expected {
                likely: amount,
                most: amount,
            }
        };
        let first = run.try_reserve(expected(0.6), 1).unwrap();
        let refused = run.try_reserve(expected(0.5), 1).unwrap_err();
        assert_eq!(refused, Refusal::Wait);
        let waiting = tokio::spawn({
            let run = Arc::clone(&run);
            async move { run.reserve(expected(0.5), 1).await }
        });
        // The response costs less than expected, so there is now room for the waiting call.
        run.settle(None, Some(0.3));
        drop(first);
        drop(waiting.await.unwrap().unwrap());
        run.settle(None, Some(0.5));
        assert_eq!(run.exhausted(), None);
        let refused = run.reserve(expected(0.3), 1).await.unwrap_err();
        let message =
            "the --max-cost budget is used up ($0.8000 of $1; the next call may cost $0.3000)";
        assert_eq!(refused.error.to_string(), message);
        assert_eq!(run.exhausted(), Some(refused.error));
        assert!(run.try_reserve(expected(0.2), 0).is_ok());
        assert_eq!(
            run.spent().calls,
            2,
            "refused calls and retries are not counted"
        );
    }
}
