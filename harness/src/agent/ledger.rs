//! Budgets and spending. Each attempt has one ledger for its whole tree of agents; above it is one
//! for the run and, if the run is part of a sweep, one for the sweep.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};

use crate::model::{Usage, settled};
use crate::provider::ProviderError;

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

/// Ledger of a run or of an attempt.
#[derive(Debug)]
pub(crate) struct Ledger {
    scope: Scope,
    budget: Budget,
    began: Instant,
    spent: Mutex<Spent>,
    /// The run's ledger above an attempt's, or the sweep's above a run's; spending counts in both.
    above: Option<Arc<Ledger>>,
}

/// Budget and spending shared by several runs, or of a command that calls models without a run.
/// Cheap to clone; all clones share one ledger.
#[derive(Debug, Clone)]
pub struct SharedBudget(Arc<Ledger>);

impl SharedBudget {
    /// Creates an unspent budget. Its time starts now.
    pub fn new(budget: Budget) -> Self {
        Self(Arc::new(Ledger {
            scope: Scope::Sweep,
            ..Ledger::of_run(budget)
        }))
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

    /// Creates the budget of one request under that of its client. Its time starts now, and its end
    /// ends the attempt.
    #[must_use]
    pub fn of_request(&self, budget: Budget) -> Self {
        self.under(Scope::Request, budget)
    }

    fn under(&self, scope: Scope, budget: Budget) -> Self {
        Self(Arc::new(Ledger {
            scope,
            above: Some(Arc::clone(&self.0)),
            ..Ledger::of_run(budget)
        }))
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

    /// Returns the amounts spent.
    pub fn spent(&self) -> Spent {
        self.0.spent()
    }

    /// Returns why nothing more may be spent, if so.
    pub fn exhausted(&self) -> Option<ProviderError> {
        self.0.exhausted()
    }
}

/// A budget is used up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Overdrawn {
    pub scope: Scope,
    pub error: ProviderError,
}

impl Ledger {
    pub fn of_run(budget: Budget) -> Self {
        Self {
            scope: Scope::Run,
            budget,
            began: Instant::now(),
            spent: Mutex::default(),
            above: None,
        }
    }

    pub fn of_attempt(budget: Budget, run: Arc<Self>) -> Self {
        Self {
            scope: Scope::Attempt,
            above: Some(run),
            ..Self::of_run(budget)
        }
    }

    /// Creates the ledger of one call, under that of its caller.
    pub fn of_call(budget: Budget, caller: Arc<Self>) -> Self {
        Self {
            scope: Scope::Call,
            above: Some(caller),
            ..Self::of_run(budget)
        }
    }

    /// Creates the ledger of a run with this budget, under one shared by several runs.
    pub fn of_run_within(budget: Budget, above: &SharedBudget) -> Self {
        Self {
            above: Some(Arc::clone(&above.0)),
            ..Self::of_run(budget)
        }
    }

    /// Takes one call from every budget before it is sent. Its cost is not known yet, so concurrent
    /// calls may exceed the budgets for tokens and cost by what they use.
    ///
    /// # Errors
    /// [`Overdrawn`] if a budget is used up already; nothing is taken in that case.
    pub fn reserve(&self) -> Result<(), Overdrawn> {
        let mut spent = self.lock();
        if let Some(error) = self.used_up(&spent) {
            let scope = self.scope;
            return Err(Overdrawn { scope, error });
        }
        if let Some(above) = &self.above {
            above.reserve()?;
        }
        spent.calls += 1;
        Ok(())
    }

    /// Books the usage of a call, once known.
    pub fn settle(&self, usage: Option<Usage>, cost_usd: Option<f64>) {
        let mut spent = self.lock();
        spent.tokens = spent
            .tokens
            .saturating_add(usage.map_or(0, |usage| usage.total()));
        spent.cost_usd += cost_usd.unwrap_or(0.0);
        drop(spent);
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
        let mut spent = self.lock();
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
        *self.lock()
    }

    /// Returns why nothing more may be spent, if so.
    pub fn exhausted(&self) -> Option<ProviderError> {
        let own = self.used_up(&self.lock());
        own.or_else(|| self.above.as_ref()?.exhausted())
    }

    /// Checks that a call already taken from the budgets may be retried, which costs tokens and
    /// money but does not count as another call.
    ///
    /// # Errors
    /// [`Overdrawn`] if tokens or money are used up.
    pub fn room(&self) -> Result<(), Overdrawn> {
        let budget = Budget {
            calls: None,
            time: None,
            ..self.budget
        };
        if let Some(error) = self.beyond(&budget, &self.lock()) {
            let scope = self.scope;
            return Err(Overdrawn { scope, error });
        }
        self.above.as_ref().map_or(Ok(()), |above| above.room())
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

    fn used_up(&self, spent: &Spent) -> Option<ProviderError> {
        self.beyond(&self.budget, spent)
    }

    fn beyond(&self, budget: &Budget, spent: &Spent) -> Option<ProviderError> {
        let Budget {
            cost_usd,
            tokens,
            calls,
            time,
        } = *budget;
        let [cost_flag, tokens_flag, calls_flag, time_flag] = match self.scope {
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
        };
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

    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock()
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
    fn what_is_spent_counts_in_both_books() {
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
        let first = Ledger::of_attempt(budget, Arc::clone(&run));
        let second = Ledger::of_attempt(budget, Arc::clone(&run));
        assert_eq!(first.reserve(), Ok(()));
        first.settle(Some(usage(60)), Some(0.25));
        let left = Remaining {
            cost_usd: Some(0.75),
            tokens: Some(40),
            calls: Some(1),
            time: None,
        };
        assert_eq!(first.left(), left);
        assert_eq!(first.reserve(), Ok(()));
        let message = |refused: Result<(), Overdrawn>| {
            refused.map_err(|Overdrawn { scope, error }| (scope, error.to_string()))
        };
        let own = "the --attempt-max-llm-calls budget is used up (2 calls of 2 calls)";
        assert_eq!(
            message(first.reserve()),
            Err((Scope::Attempt, own.to_owned()))
        );
        assert_eq!(second.left().calls, Some(1));
        assert_eq!(second.reserve(), Ok(()));
        second.settle(None, None);
        let whole = "the --max-llm-calls budget is used up (3 calls of 3 calls)";
        assert_eq!(
            message(second.reserve()),
            Err((Scope::Run, whole.to_owned()))
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
    fn each_budget_ends() {
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
}
