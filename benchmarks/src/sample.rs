//! A sample: one task of a benchmark.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::Image;

/// One task of a benchmark. An agent may see only its `query`, `follow_ups`, `context` and
/// `images`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Id, unique in its dataset; those of generated samples are safe in file names: `s-niah-8k-1`.
    pub id: String,
    /// Question or task.
    pub query: String,
    /// User messages after the query, one after each answer.
    pub follow_ups: Vec<String>,
    /// Context of the query, possibly megabytes long.
    pub context: Arc<String>,
    /// Images shown with the query; at most [`Image::MOST`].
    pub images: Vec<Image>,
    /// Right answer, in the form that the dataset's scorer reads.
    pub expected: Value,
    /// Facts about the sample by which results can be grouped.
    pub metadata: BTreeMap<String, Value>,
    /// Cluster of samples that succeed or fail together and are not independent draws. `None`:
    /// independent.
    pub cluster: Option<String>,
}
