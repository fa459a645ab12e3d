//! A sample: one task of a benchmark.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::Image;

/// One task of a benchmark. An agent may see `query`, `follow_ups`, `context` and `images`, and nothing else of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Unique in its dataset, and safe as part of a file name for generated samples: `s-niah-8k-1`.
    pub id: String,
    /// What is asked.
    pub query: String,
    /// What the user says after it, one message after each answer.
    pub follow_ups: Vec<String>,
    /// What it is asked about; may be megabytes long.
    pub context: Arc<String>,
    /// What is shown with the question; at most [`Image::MOST`].
    pub images: Vec<Image>,
    /// The right answer, in the form that the dataset's scorer reads.
    pub expected: Value,
    /// Facts about the sample to group results by.
    pub metadata: BTreeMap<String, Value>,
    /// Samples that stand or fall together share a cluster, and are no independent draws. `None`: on its own.
    pub cluster: Option<String>,
}
