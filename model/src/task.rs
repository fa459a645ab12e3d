//! Input of an attempt: a question, its context, and further messages.

use std::sync::Arc;

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
