//! Repairs of malformed replies, and their limit.

use serde_json::{Map, Value};

use crate::agent::Failure;
use crate::model::Status;

/// Maximum consecutive malformed replies that do not end the attempt.
const MOST: u32 = 3;

/// Maximum number of unknown fields that are reported.
const MOST_NAMED: usize = 10;

/// Number of malformed replies since the last valid one.
#[derive(Debug, Default)]
pub(super) struct Malformed(u32);

impl Malformed {
    /// Resets the count after a valid reply.
    pub(super) fn end(&mut self) {
        self.0 = 0;
    }

    /// Counts a malformed reply. `what` completes the sentence "responses in a row …"; `problem`
    /// describes this reply.
    ///
    /// # Errors
    /// Returns the failure of the attempt if the limit is exceeded.
    pub(super) fn add(&mut self, what: &str, problem: &str) -> Result<(), Failure> {
        self.0 += 1;
        if self.0 <= MOST {
            return Ok(());
        }
        Err(Failure::new(
            Status::Limit,
            format!("more than {MOST} responses in a row {what}; the last: {problem}"),
        ))
    }
}

/// Removes the JSON code fence that encloses a whole reply. `what` names the JSON in the repairs.
pub(super) fn unfenced<'a>(text: &'a str, what: &str, repairs: &mut Vec<String>) -> &'a str {
    let text = text.trim();
    let inside = || {
        let inside = text.strip_prefix("```")?.strip_suffix("```")?;
        let (language, inside) = inside.split_once('\n')?;
        matches!(language.trim(), "" | "json" | "JSON").then(|| inside.trim())
    };
    let Some(inside) = inside() else {
        return text;
    };
    repairs.push(format!("the {what} was in a code fence"));
    inside
}

/// Adds the fields that are left in an object to the repairs. `of` names the object.
pub(super) fn report_unknown(object: &Map<String, Value>, of: &str, repairs: &mut Vec<String>) {
    for field in object.keys().take(MOST_NAMED) {
        let field: String = field.chars().take(60).collect();
        repairs.push(format!("unknown field {field:?} of {of}"));
    }
}
