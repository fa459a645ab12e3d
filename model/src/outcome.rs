//! Outcome of an attempt: status, answer and used resources.

use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How an agent or an attempt ended, independently of its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The agent answered.
    Ok,
    /// A limit was reached, or the agent's code crashed its sandbox. Scored 0.
    Limit,
    /// The infrastructure failed. The attempt is not scored and may be retried.
    Error,
    /// The run was stopped.
    Cancelled,
}

impl Status {
    /// Returns the name used in files and tables.
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
    /// Input tokens, including cached ones.
    pub input_tokens: u64,
    /// Input tokens read from the provider's cache.
    pub cached_input_tokens: u64,
    /// Input tokens written to the provider's cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
    /// Output tokens, including reasoning.
    pub output_tokens: u64,
    /// Output tokens spent on reasoning.
    pub reasoning_tokens: u64,
    /// Whether any count was estimated because the server did not report it.
    pub estimated: bool,
}

impl Usage {
    /// Returns the sum of input and output tokens.
    pub const fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Subtracts the counts of `part`; no count goes below zero.
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

/// Outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptOutcome {
    /// Answers to the user's messages before the last one.
    pub earlier_answers: Vec<String>,
    /// How the attempt ended.
    pub status: Status,
    /// Answer of the root.
    pub answer: Option<String>,
    /// Reason why there is no answer.
    pub error: Option<String>,
    /// Whether the model refused to answer, or its provider's filter blocked the response. The
    /// refusal counts as the answer and scores 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// Final state of the environment, which is scored instead of the answer; `None` without an
    /// environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<serde_json::Value>,
    /// Resources used by the attempt.
    pub stats: Stats,
}

impl AttemptOutcome {
    /// Creates the outcome of an attempt without an answer, for the reason `error`.
    pub fn without_answer(status: Status, error: String, stats: Stats) -> Self {
        Self {
            earlier_answers: Vec::new(),
            status,
            answer: None,
            error: Some(error),
            refused: false,
            state: None,
            stats,
        }
    }
}

/// Resources used by an attempt, including all agents of its tree unless stated otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Number of iterations of the root only.
    pub iterations: u32,
    /// Number of agents, including the root and one-shot calls.
    pub agents: u32,
    /// Depth of the deepest agent.
    pub depth_reached: u32,
    /// Number of requests to models.
    pub llm_calls: u32,
    /// Number of retries of requests.
    pub retries: u32,
    /// Number of requests answered from a cache, without being sent.
    pub cached_calls: u32,
    /// Tokens of the cached responses. They are included in `usage`, although they were not billed
    /// again.
    pub cached_usage: Option<Usage>,
    /// Number of times that older outputs were dropped because a conversation exceeded the model's
    /// context window.
    pub context_trims: u32,
    /// Number of prompts that the server probably truncated: it reported far fewer tokens than they
    /// contain.
    pub cut_prompts: u32,
    /// Tokens of responses with a token count, and of billed tries without a response; `None` if
    /// nothing was counted.
    pub usage: Option<Usage>,
    /// Known cost in US dollars of responses and billed tries; `None` if no cost is known.
    pub known_cost_usd: Option<f64>,
    /// Number of responses and billed tries whose cost is unknown.
    pub unpriced_calls: u32,
    /// Number of protocol faults, such as a response without a code block or with more blocks than
    /// may run.
    pub protocol_faults: u32,
    /// Number of calls to `rlm()` and `llm()`.
    pub delegations: u32,
    /// Number of asynchronous calls in cells, for example to `rlm()`, that were never awaited.
    pub unawaited: u32,
    /// Number of cells that ended in an error.
    pub failed_cells: u32,
    /// Whether the root returned in its first iteration, and the value was shown to it for review.
    pub returned_early: bool,
    /// Whether the attempt continued an earlier attempt that ended in an error. The figures include
    /// those of the earlier attempt, which has its own record.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continued: bool,
    /// Wall-clock time from start to end.
    pub total: Duration,
    /// Wall-clock time in which at least one model call, cell or browser action was running.
    pub busy: Duration,
    /// Wall-clock time in which nothing was running and at least one call was waiting for a rate
    /// limit, a connection, a retry or free budget.
    pub waiting: Duration,
}

impl Stats {
    /// Returns the overhead of the harness: the time without a running model call, cell or browser
    /// action, and without waiting.
    pub fn overhead(&self) -> Duration {
        self.working().saturating_sub(self.busy)
    }

    /// Returns the total time minus the waiting time.
    pub fn working(&self) -> Duration {
        self.total.saturating_sub(self.waiting)
    }

    /// Returns the cost of all responses and billed tries in US dollars, or `None` if any cost is
    /// unknown.
    pub fn cost_usd(&self) -> Option<f64> {
        self.known_cost_usd
            .filter(|_| self.unpriced_calls == 0)
            .map(settled)
    }

    /// Whether there was no response and no billed try. The cost is then 0, because rejected
    /// requests are free.
    pub const fn used_nothing(&self) -> bool {
        self.usage.is_none() && self.known_cost_usd.is_none() && self.unpriced_calls == 0
    }

    /// Adds the usage and cost of one response or one failed try.
    pub fn add_usage(&mut self, usage: Option<Usage>, cost_usd: Option<f64>) {
        if let Some(usage) = usage {
            *self.usage.get_or_insert_default() += usage;
        }
        match cost_usd {
            Some(cost) => *self.known_cost_usd.get_or_insert_default() += cost,
            None => self.unpriced_calls += 1,
        }
    }
}

/// Rounds a sum of US dollars to 1e-12. Concurrent calls are added in arbitrary order, and the
/// resulting rounding error must not make equal runs differ.
pub fn settled(cost_usd: f64) -> f64 {
    const DIGITS: f64 = 1e12;
    (cost_usd * DIGITS).round() / DIGITS
}
