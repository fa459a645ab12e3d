//! Limits of a ledger: what remains under them, and errors if they are reached.

use super::super::{Budget, Spent};
use super::{Books, Ledger, Scope};
use crate::model::settled;
use crate::provider::ProviderError;

impl Ledger {
    /// Returns an error if a call does not fit into the remaining budget.
    pub(super) fn does_not_fit(&self, books: &Books, expected: Spent) -> Option<ProviderError> {
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

    /// Returns the amounts that remain under this ledger and all parents.
    pub fn left(&self) -> Budget {
        let spent = self.spent();
        let Budget {
            cost_usd,
            tokens,
            calls,
            time,
        } = self.budget;
        let own = Budget {
            cost_usd: cost_usd.map(|most| (most - spent.cost_usd).max(0.0)),
            tokens: tokens.map(|most| most.saturating_sub(spent.tokens)),
            calls: calls.map(|most| most.saturating_sub(spent.calls)),
            time: time.map(|most| most.saturating_sub(self.began.elapsed())),
        };
        let Some(above) = &self.above else {
            return own;
        };
        let above = above.left();
        Budget {
            cost_usd: least(own.cost_usd, above.cost_usd),
            tokens: least(own.tokens, above.tokens),
            calls: least(own.calls, above.calls),
            time: least(own.time, above.time),
        }
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
    pub(super) fn exceeded_limit(&self, budget: &Budget, spent: &Spent) -> Option<ProviderError> {
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
