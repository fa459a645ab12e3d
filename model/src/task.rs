//! Input of an attempt: a question, its context, and further messages; and limits on its spending.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Image;

/// Question of an attempt, with all data that its agents may read.
#[derive(Debug, Clone)]
pub struct Task {
    /// Id of the run.
    pub run_id: String,
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// Question for the root.
    pub query: String,
    /// Further user messages, each sent after the previous one has been answered.
    pub follow_ups: Vec<String>,
    /// Data that the question is about.
    pub context: Arc<String>,
    /// Images shown to the root with the question.
    pub images: Vec<Image>,
}

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
