//! Access to fields of servers' JSON that may be missing or have another type.

use serde_json::{Value, json};

/// Returns a value as a string; empty if it is not a string.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the elements of a list; empty if the value is not a list.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a value as a token count; 0 if it is missing or not a non-negative integer.
pub(super) fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Appends to a string field of an object, in place because a stream does this thousands of times.
pub(super) fn append(object: &mut Value, name: &str, more: &str) {
    if more.is_empty() {
        return;
    }
    match object.get_mut(name) {
        Some(Value::String(so_far)) => so_far.push_str(more),
        _ => object[name] = json!(more),
    }
}
