//! What a run has spent on attempts that count for nothing.

use std::iter::Sum;
use std::ops::AddAssign;

use model::Usage;
use serde::{Deserialize, Serialize};

use crate::AttemptRecord;
use crate::trajectory::Calls;

/// What attempts have used up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// How many attempts.
    pub attempts: u64,
    /// Requests that were sent to models, answered or not.
    pub llm_calls: u64,
    /// Tokens of the calls that were counted.
    pub usage: Usage,
    /// US dollars, where they are known; none if they are known of no call.
    pub cost_usd: Option<f64>,
    /// Requests of which nobody knows what they took: they were under way when the run was killed, or their model has no
    /// price.
    #[serde(default)]
    pub unknown_calls: u64,
}

impl Spent {
    /// What a finished attempt has used up, its judge included, as far as its record knows. What a cache gave was used up once
    /// before.
    pub fn of(record: &AttemptRecord) -> Self {
        let mut spent = Self::of_agents(record);
        if let Some(judge) = &record.judge {
            spent.llm_calls += u64::from(judge.calls.saturating_sub(judge.cached_calls));
            spent.usage += judge.usage.unwrap_or_default();
            spent.add_cost(judge.cost_usd);
        }
        spent
    }

    /// What its agents have used up, likewise.
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
            // The record does not say which of them it was.
            unknown_calls: match record.cost_usd {
                None => sent.into(),
                Some(_) => 0,
            },
        }
    }

    /// What a caller has used up by the events of its calls, those under way included.
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

    /// Adds what one more call has cost.
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

/// What was spent beside the attempts that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Wasted {
    /// Attempts that were stopped or killed before their end.
    pub abandoned: Spent,
    /// Attempts that ended in an error and were made again.
    pub superseded: Spent,
}

/// What a run has used up in all.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AllSpent {
    /// Attempts, whatever came of them.
    pub attempts: u64,
    /// Their tokens, as far as they were counted.
    pub usage: Usage,
    /// Their US dollars, where they are known; none if they are known of no attempt.
    pub cost_usd: Option<f64>,
    /// Requests of unknown cost in attempts that count for nothing.
    pub unknown_calls: u64,
}
