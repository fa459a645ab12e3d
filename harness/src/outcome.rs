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
    /// All output tokens, reasoning included.
    pub output_tokens: u64,
    /// Output tokens spent on reasoning.
    pub reasoning_tokens: u64,
    /// Whether any of it is the harness's estimate because the server sent none.
    pub estimated: bool,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.cached_input_tokens += other.cached_input_tokens;
        self.output_tokens += other.output_tokens;
        self.reasoning_tokens += other.reasoning_tokens;
        self.estimated |= other.estimated;
    }
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptOutcome {
    /// How it ended.
    pub status: Status,
    /// The root's answer.
    pub answer: Option<String>,
    /// Why it has none.
    pub error: Option<String>,
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
    /// Tokens.
    pub usage: Usage,
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
}

impl Stats {
    /// Time that was neither a model's nor the sandbox's.
    pub fn overhead(&self) -> Duration {
        self.total.saturating_sub(self.busy)
    }
}
