//! Amounts of money, tokens, calls and time: limits, and what is spent or expected to be spent.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Maximum spending. `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// US dollars.
    pub cost_usd: Option<f64>,
    /// Tokens, input and output together.
    pub tokens: Option<u64>,
    /// Requests to models, not counting retries.
    pub calls: Option<u64>,
    /// Wall time.
    pub time: Option<Duration>,
}

/// Amounts spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// US dollars, for calls with a known cost.
    pub cost_usd: f64,
    /// Tokens, for calls with a known token count.
    pub tokens: u64,
    /// Requests to models, not counting retries.
    pub calls: u64,
}

/// Expected expense of a request, which is reserved before the request is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Expense {
    /// Expense of the likely usage.
    pub likely: Spent,
    /// Expense of the highest plausible usage.
    pub most: Spent,
}
