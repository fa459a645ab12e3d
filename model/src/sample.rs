//! A sample: one task of a benchmark.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::Image;

/// One task of a benchmark. An agent may see only its `query`, `follow_ups`, `context` and
/// `images`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Id, unique in its dataset. Ids of generated samples are safe in file names: `s-niah-8k-1`.
    pub id: String,
    /// Question or task.
    pub query: String,
    /// User messages after the query, one after each answer.
    pub follow_ups: Vec<String>,
    /// Context of the query, possibly megabytes long.
    pub context: Arc<String>,
    /// Images shown with the query.
    pub images: Vec<Image>,
    /// Expected answer, in the scorer's form.
    pub expected: Value,
    /// Metadata of the sample, used for grouping results.
    pub metadata: BTreeMap<String, Value>,
    /// Cluster of samples whose results are correlated, so that they are not independent draws.
    /// `None`: independent.
    pub cluster: Option<String>,
}
