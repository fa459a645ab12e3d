//! Sampling settings in requests: the error for those that a format does not support, and fields
//! that users add.

use serde_json::{Map, Value};

/// A setting that a format does not support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// Name of the setting's field in [`Sampling`](crate::model::Sampling).
    pub setting: &'static str,
    /// Reason why it is not supported, and what would be valid.
    pub reason: String,
}

/// Adds user-supplied fields to a body. The fields that the harness sets have been rejected.
pub(super) fn add_extra(body: &mut Value, extra: &Map<String, Value>) {
    for (name, value) in extra {
        body[name.as_str()] = value.clone();
    }
}
