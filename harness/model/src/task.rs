//! The input of an attempt.

use std::sync::Arc;

use super::Image;

/// Input of an attempt.
#[derive(Debug, Clone)]
pub struct Task {
    /// Id of the run.
    pub run_id: String,
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// The question.
    pub query: String,
    /// Further messages of the user, each sent after the previous one has been answered.
    pub follow_ups: Vec<String>,
    /// The data.
    pub context: Arc<String>,
    /// Images shown to the root with the question.
    pub images: Vec<Image>,
}
