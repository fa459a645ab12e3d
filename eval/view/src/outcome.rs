//! What a record says of its attempt, as texts and at a glance.

use records::AttemptRecord;
use serde_json::Value;

/// Whether an attempt is scored and not fully right.
pub fn is_wrong(record: &AttemptRecord) -> bool {
    record.score.is_some_and(|score| score < 1.0)
}

/// The right answer as a text: texts as they are, the rest as JSON.
pub fn expected(record: &AttemptRecord) -> String {
    match &record.expected {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// The first characters of a text, and a mark where more follow.
pub fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
