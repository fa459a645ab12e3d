//! What comes of an attempt: its status, its answer, and what it used.

use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How an agent or an attempt ended. Separate from its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It gave an answer.
    Ok,
    /// A budget ran out, or the agent's own code brought its sandbox down: scored 0.
    Limit,
    /// Infrastructure failed: no score, may be retried.
    Error,
    /// The run was stopped.
    Cancelled,
}

impl Status {
    /// The word used in files and tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Limit => "limit",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Tokens of one or more model calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Usage {
    /// All input tokens, cached ones included.
    pub input_tokens: u64,
    /// Input tokens read from the provider's cache.
    pub cached_input_tokens: u64,
    /// Input tokens written to the provider's cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// All output tokens, reasoning included.
    pub output_tokens: u64,
    /// Output tokens spent on reasoning.
    pub reasoning_tokens: u64,
    /// Whether any of it is the harness's estimate because the server sent none.
    pub estimated: bool,
}

impl Usage {
    /// Input and output.
    pub const fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// This without a part of it.
    #[must_use]
    pub const fn without(&self, part: &Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_sub(part.input_tokens),
            cached_input_tokens: self
                .cached_input_tokens
                .saturating_sub(part.cached_input_tokens),
            cache_write_tokens: self
                .cache_write_tokens
                .saturating_sub(part.cache_write_tokens),
            output_tokens: self.output_tokens.saturating_sub(part.output_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_sub(part.reasoning_tokens),
            estimated: self.estimated,
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.cached_input_tokens = self
            .cached_input_tokens
            .saturating_add(other.cached_input_tokens);
        self.cache_write_tokens = self
            .cache_write_tokens
            .saturating_add(other.cache_write_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(other.reasoning_tokens);
        self.estimated = self.estimated || other.estimated;
    }
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptOutcome {
    /// What it answered to messages of the user that were not the last.
    pub earlier_answers: Vec<String>,
    /// How it ended.
    pub status: Status,
    /// The root's answer.
    pub answer: Option<String>,
    /// Why it has none.
    pub error: Option<String>,
    /// The state of its world, by which it is judged instead of by its answer; none for an attempt without a world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<serde_json::Value>,
    /// What it used.
    pub stats: Stats,
}

/// What an attempt used, all agents of its tree included unless said otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Iterations of the root alone.
    pub iterations: u32,
    /// Agents, the root and one-shot calls included.
    pub agents: u32,
    /// Deepest agent.
    pub depth_reached: u32,
    /// Requests to models.
    pub llm_calls: u32,
    /// Requests that providers sent again.
    pub retries: u32,
    /// Requests that a cache answered: nothing was sent.
    pub cached_calls: u32,
    /// Tokens of the responses that a cache gave: part of `usage`, but used once and not again.
    pub cached_usage: Option<Usage>,
    /// Times that older outputs were left out because the conversation outgrew the model's context.
    pub context_trims: u32,
    /// Tokens of the responses that carry a count, and of tries that used some without giving a response; none if
    /// there is no count at all.
    pub usage: Option<Usage>,
    /// US dollars of the responses and billed tries whose cost is known; none if it is known of none.
    pub known_cost_usd: Option<f64>,
    /// Responses and billed tries whose cost is not known.
    pub unpriced_calls: u32,
    /// Responses that did not follow the protocol: no block, or more than may run.
    pub protocol_faults: u32,
    /// Calls of `rlm()` and `llm()`.
    pub delegations: u32,
    /// Calls that nobody awaited.
    pub unawaited: u32,
    /// Cells that ended in an error.
    pub failed_cells: u32,
    /// Whether the root's first-iteration return was shown back to it.
    pub returned_early: bool,
    /// Wall time from start to end.
    pub total: Duration,
    /// Wall time in which at least one model call or cell was running.
    pub busy: Duration,
    /// Wall time in which nothing ran and at least one call waited: for a rate limit, a connection or a retry.
    pub waiting: Duration,
}

impl Stats {
    /// Time that was neither a model's nor the sandbox's, nor spent waiting.
    pub fn overhead(&self) -> Duration {
        self.working().saturating_sub(self.busy)
    }

    /// The whole time less that in which everything waited.
    pub fn working(&self) -> Duration {
        self.total.saturating_sub(self.waiting)
    }

    /// US dollars of all responses; none where the cost of any is not known.
    pub fn cost_usd(&self) -> Option<f64> {
        self.known_cost_usd
            .filter(|_| self.unpriced_calls == 0)
            .map(settled)
    }

    /// Takes in what one response, or a try that gave none, used.
    pub fn add_use(&mut self, usage: Option<Usage>, cost_usd: Option<f64>) {
        if let Some(usage) = usage {
            *self.usage.get_or_insert_default() += usage;
        }
        match cost_usd {
            Some(cost) => *self.known_cost_usd.get_or_insert_default() += cost,
            None => self.unpriced_calls += 1,
        }
    }
}

/// A sum of US dollars, rounded to 1e-12: calls that end together are added in any order, and the rounding error of that
/// must not make two equal runs differ.
pub fn settled(cost_usd: f64) -> f64 {
    const DIGITS: f64 = 1e12;
    (cost_usd * DIGITS).round() / DIGITS
}
