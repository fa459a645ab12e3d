//! Budgets and spending. Each attempt has one ledger for its whole tree of agents; above it is one
//! for the run and, if the run is part of a sweep, one for the sweep.
//!
//! Invariant: a call is sent only while its expected expense is reserved in every ledger above it,
//! and the sum of spending and reservations stays within each budget. So a budget can be exceeded
//! only by the amount by which responses exceed their estimates.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::model::{Usage, settled};
use crate::provider::{Estimate, Forecast, ProviderError};

/// Maximum spending. `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// US dollars.
    pub cost_usd: Option<f64>,
    /// Tokens, input and output together.
    pub tokens: Option<u64>,
    /// Requests to models; a retry does not count again.
    pub calls: Option<u64>,
    /// Wall time.
    pub time: Option<Duration>,
}

/// Amounts spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// US dollars of the calls whose cost is known.
    pub cost_usd: f64,
    /// Tokens of the calls that reported them.
    pub tokens: u64,
    /// Requests to models.
    pub calls: u64,
}

/// Remainder under all budgets that apply. `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Remaining {
    pub cost_usd: Option<f64>,
    pub tokens: Option<u64>,
    pub calls: Option<u64>,
    pub time: Option<Duration>,
}

/// Owner of a budget. Each has its own flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Sweep,
    Run,
    /// All requests of one client of a server.
    Client,
    /// One request of a client.
    Request,
    Attempt,
    /// One `rlm()` or `llm()` call, with everything below it.
    Call,
}

/// Expected expense of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Expected {
    /// Expense with the likely usage, which must fit.
    likely: Amount,
    /// Expense with the highest plausible usage, which is reserved, and which must fit while other
    /// calls are under way.
    most: Amount,
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
    /// Converts a forecast. A call without one is expected to cost nothing.
    fn from(forecast: Option<Forecast>) -> Self {
        forecast.map_or_else(Self::default, |Forecast { likely, most }| Self {
            likely: likely.into(),
            most: most.into(),
        })
    }
}

/// Ledger of a run or of an attempt.
#[derive(Debug)]
pub(crate) struct Ledger {
    scope: Scope,
    budget: Budget,
    began: Instant,
    books: Mutex<Books>,
    /// Wakes calls that wait for a reservation to end, in this ledger and all related ones.
    released: Arc<Notify>,
    /// The run's ledger above an attempt's, or the sweep's above a run's; spending counts in both.
    above: Option<Arc<Ledger>>,
}

#[derive(Debug, Default)]
struct Books {
    spent: Spent,
    /// Sum of the reservations of calls under way.
    reserved: Amount,
    /// Number of calls under way.
    under_way: usize,
    /// First refusal of a call that did not fit although no other was under way.
    refused: Option<ProviderError>,
}

/// Reason why a call was not admitted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Refusal {
    /// The call may fit once other calls have ended.
    Wait,
    /// The call does not fit.
    BudgetExceeded(BudgetExceeded),
}

/// Reserved expense of a call under way. Dropping it releases the reservation; actual usage is
/// booked separately.
#[derive(Debug)]
pub struct Reservation {
    ledger: Arc<Ledger>,
    expected: Expected,
}

impl Reservation {
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

/// Budget and spending shared by several runs, or of a command that calls models without a run.
/// Cheap to clone; all clones share one ledger.
#[derive(Debug, Clone)]
pub struct SharedBudget(Arc<Ledger>);

impl SharedBudget {
    /// Creates an unspent budget. Its time starts now.
    pub fn new(budget: Budget) -> Self {
        Self(Arc::new(Ledger::new(Scope::Sweep, budget, None)))
    }

    /// Creates the budget of a command whose budget flags have the same names as a run's.
    pub fn of_command(budget: Budget) -> Self {
        Self(Arc::new(Ledger::of_run(budget)))
    }

    /// Creates the budget of a client under that of the server; spending counts in both.
    #[must_use]
    pub fn of_client(&self, budget: Budget) -> Self {
        self.under(Scope::Client, budget)
    }

    /// Creates the budget of one request under that of its client. Its time starts now; the attempt
    /// ends when it is over.
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

    /// Books spending of this start or an earlier one.
    pub fn charge(&self, earlier: Spent) {
        self.0.charge(earlier);
    }

    /// Books spending other than the calls of agents, here and above.
    pub fn book(&self, spent: Spent) {
        self.0.add(spent);
    }

    /// Reserves the expected expense of a call that no agent makes, without counting the call.
    /// Waits while other calls under way leave no room.
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

    /// Returns the reason why nothing more may be spent, if any.
    pub fn exhausted(&self) -> Option<ProviderError> {
        self.0.exhausted()
    }
}

/// Error for a budget that is used up.
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

    /// Creates the ledger of one call, under that of its caller.
    pub fn of_call(budget: Budget, caller: &Arc<Self>) -> Self {
        Self::new(Scope::Call, budget, Some(caller))
    }

    /// Creates the ledger of a run with this budget, under one shared by several runs.
    pub fn of_run_within(budget: Budget, above: &SharedBudget) -> Self {
        Self::new(Scope::Run, budget, Some(&above.0))
    }

    /// Reserves the expected expense of `calls` calls, 0 for a retry, in every ledger. Waits while
    /// other calls under way leave no room.
    ///
    /// # Errors
    /// Returns [`BudgetExceeded`] if a budget is used up or the call does not fit; nothing is
    /// reserved then.
    pub async fn reserve(
        self: &Arc<Self>,
        expected: Expected,
        calls: u64,
    ) -> Result<Reservation, BudgetExceeded> {
        loop {
            // Enabled before the try, so that a release in between is not missed.
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

    /// Reserves as [`reserve`](Self::reserve) does, without waiting.
    pub fn try_reserve(
        self: &Arc<Self>,
        expected: Expected,
        calls: u64,
    ) -> Result<Reservation, Refusal> {
        self.take(expected, calls)?;
        Ok(Reservation {
            ledger: Arc::clone(self),
            expected,
        })
    }

    fn take(&self, expected: Expected, calls: u64) -> Result<(), Refusal> {
        let mut books = self.lock();
        let overdrawn = |error| {
            let scope = self.scope;
            Refusal::BudgetExceeded(BudgetExceeded { scope, error })
        };
        // A retry belongs to a call that has been admitted.
        let budget = Budget {
            calls: self.budget.calls.filter(|_| calls > 0),
            time: self.budget.time.filter(|_| calls > 0),
            ..self.budget
        };
        if let Some(error) = self.beyond(&budget, &books.spent) {
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
            // Subtracting sums leaves rounding errors.
            books.reserved = Amount::default();
        }
        drop(books);
        if let Some(above) = &self.above {
            above.release(expected);
        }
    }

    /// Returns the reason why a call does not fit into the remaining budget, if any.
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

    /// Books the usage of a call, once known.
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

    /// Books spending other than the calls of agents.
    pub fn add(&self, more: Spent) {
        self.charge(more);
        if let Some(above) = &self.above {
            above.add(more);
        }
    }

    /// Books spending of an earlier start, which the ledger above includes already.
    pub fn charge(&self, earlier: Spent) {
        let spent = &mut self.lock().spent;
        spent.cost_usd += earlier.cost_usd;
        spent.tokens = spent.tokens.saturating_add(earlier.tokens);
        spent.calls = spent.calls.saturating_add(earlier.calls);
    }

    /// Books spending of an earlier process in the attempt, which the run includes already.
    pub fn charge_attempt(&self, earlier: Spent) {
        self.charge(earlier);
        if let (Scope::Call, Some(above)) = (self.scope, &self.above) {
            above.charge_attempt(earlier);
        }
    }

    pub fn spent(&self) -> Spent {
        self.lock().spent
    }

    /// Returns the reason why nothing more may be spent, if any: a budget is used up, or a call of
    /// a run did not fit, which ends the run.
    pub fn exhausted(&self) -> Option<ProviderError> {
        let books = self.lock();
        let ends = matches!(self.scope, Scope::Run | Scope::Sweep);
        let refused = books.refused.clone().filter(|_| ends);
        let own = self.beyond(&self.budget, &books.spent).or(refused);
        drop(books);
        own.or_else(|| self.above.as_ref()?.exhausted())
    }

    /// Returns the remainder under this ledger and the one above it.
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

    /// Returns the remaining time of the request that this ledger belongs to.
    pub fn left_of_request(&self) -> Option<Duration> {
        let most = self.budget.time.filter(|_| self.scope == Scope::Request);
        most.map(|most| most.saturating_sub(self.began.elapsed()))
    }

    /// Returns the names of the budgets for cost, tokens, calls and time.
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

    /// Returns the budget that is used up, if any.
    fn beyond(&self, budget: &Budget, spent: &Spent) -> Option<ProviderError> {
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
    async fn waits_for_room_and_refuses_without_any() {
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
        // The response costs less than expected, so the waiting call fits.
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
