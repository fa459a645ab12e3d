//! Passes on the bodies of requests as they are sent.

use serde_json::Value;

use super::redact;
use crate::provider::Caller;

/// Receives the requests that are sent to servers, each try on its own. Can be shared between
/// tasks.
pub trait RequestLog: Send + Sync {
    /// Receives the body of a request as JSON text, without keys. Must not block for long, because
    /// the agent waits.
    fn sent(&self, caller: &Caller, body: &str);
}

/// Redacts all keys of this process in the texts of a body. In its JSON text, escapes could hide
/// them.
pub(super) fn without_keys(body: &Value) -> Value {
    match body {
        Value::String(text) => Value::String(redact(text.clone())),
        Value::Array(items) => items.iter().map(without_keys).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (redact(name.clone()), without_keys(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => body.clone(),
    }
}
