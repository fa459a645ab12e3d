//! What an attempt is given.

use std::sync::Arc;

use super::Image;

/// What an attempt is given.
#[derive(Debug, Clone)]
pub struct Task {
    /// The run.
    pub run_id: String,
    /// The sample.
    pub sample: String,
    /// 1-based.
    pub attempt: u32,
    /// The question.
    pub query: String,
    /// What the user says after it: each message once the one before it has been answered.
    pub follow_ups: Vec<String>,
    /// The data.
    pub context: Arc<String>,
    /// What is shown to the root with the question.
    pub images: Vec<Image>,
}
