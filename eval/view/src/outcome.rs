//! Text and classification of an attempt's outcome.

use records::AttemptRecord;
use serde_json::Value;

/// Whether an attempt has a score below 1.
pub fn is_wrong(record: &AttemptRecord) -> bool {
    record.score.is_some_and(|score| score < 1.0)
}

/// Formats a value as text: strings unchanged, other values as JSON.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
