//! Spending of attempts, including attempts that do not count.

use std::iter::Sum;
use std::ops::AddAssign;

use model::Usage;
use serde::{Deserialize, Serialize};

use crate::AttemptRecord;
use crate::trajectory::Calls;

/// Resources used by attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Number of attempts.
    pub attempts: u64,
    /// Number of requests sent to models, answered or not.
    pub llm_calls: u64,
    /// Tokens of all requests whose usage is known.
    pub usage: Usage,
    /// Known cost in US dollars; `None` if no cost is known.
    pub cost_usd: Option<f64>,
    /// Number of requests of unknown cost, either because they were in flight when the run was
    /// killed, or because their model has no price.
    #[serde(default)]
    pub unknown_calls: u64,
}

impl Spent {
    /// Returns the spending of a finished attempt, including its judge. Cached responses do not
    /// count, because they were paid for earlier.
    pub fn of(record: &AttemptRecord) -> Self {
        let mut spent = Self::of_agents(record);
        spent += Self::of_judge(record);
        spent
    }

    /// Returns the spending of a finished attempt's judge. It does not count as another attempt.
    pub fn of_judge(record: &AttemptRecord) -> Self {
        let mut spent = Self::default();
        if let Some(judge) = &record.judge {
            spent.llm_calls += u64::from(judge.calls.saturating_sub(judge.cached_calls));
            spent.usage += judge.usage.unwrap_or_default();
            spent.add_cost(judge.cost_usd);
        }
        spent
    }

    /// Returns the spending of a finished attempt's agents, without its judge.
    pub fn of_agents(record: &AttemptRecord) -> Self {
        let sent = record
            .llm_calls
            .unwrap_or(0)
            .saturating_sub(record.cached_calls.unwrap_or(0));
        let cached = record.cached_usage.unwrap_or_default();
        Self {
            attempts: 1,
            llm_calls: sent.into(),
            usage: record.usage.unwrap_or_default().without(&cached),
            cost_usd: record.cost_usd,
            // The record does not show which requests have an unknown cost, so all of them count.
            unknown_calls: match record.cost_usd {
                None => sent.into(),
                Some(_) => 0,
            },
        }
    }

    /// Returns the spending of one caller's calls, including calls in flight. It does not count as
    /// an attempt.
    pub fn of_calls(calls: &Calls) -> Self {
        let spent = calls.spent();
        Self {
            attempts: 0,
            llm_calls: calls.sent(),
            usage: spent.usage.unwrap_or_default(),
            cost_usd: spent.cost_usd,
            unknown_calls: spent.unpriced_calls,
        }
    }

    /// Adds a cost, if it is known.
    pub fn add_cost(&mut self, cost_usd: Option<f64>) {
        if let Some(cost) = cost_usd {
            *self.cost_usd.get_or_insert(0.0) += cost;
        }
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.attempts += other.attempts;
        self.llm_calls += other.llm_calls;
        self.usage += other.usage;
        self.add_cost(other.cost_usd);
        self.unknown_calls += other.unknown_calls;
    }
}

impl Sum for Spent {
    fn sum<I: Iterator<Item = Self>>(spent: I) -> Self {
        spent.fold(Self::default(), |mut sum, spent| {
            sum += spent;
            sum
        })
    }
}

/// Spending on attempts that do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Wasted {
    /// Spending on attempts that were stopped or killed before they finished.
    pub abandoned: Spent,
    /// Spending on attempts that ended in an error and were rerun.
    pub superseded: Spent,
}

/// Total spending of a run, without judges.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TotalSpending {
    /// Number of all attempts, including those that do not count.
    pub attempts: u64,
    /// Tokens of all requests whose usage is known.
    pub usage: Usage,
    /// Known cost in US dollars; `None` if no cost is known.
    pub cost_usd: Option<f64>,
    /// Number of requests of unknown cost in attempts that do not count.
    pub unknown_calls: u64,
}
