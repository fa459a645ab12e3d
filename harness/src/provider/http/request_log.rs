//! Interface for logging the requests that are sent.

use serde_json::Value;

use super::redact;
use crate::provider::Caller;

/// Receives every request that is sent, including every retry.
pub trait RequestLog: Send + Sync {
    /// Receives the body of a request as JSON, with redacted keys. Implementations must not block
    /// for long, because the agent waits.
    fn sent(&self, caller: &Caller, body: &str);
}

/// Redacts all keys of this process in the strings of a body. Redacting the serialized JSON would
/// miss keys with escaped characters.
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
