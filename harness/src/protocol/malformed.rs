//! Limit of consecutive malformed replies.

use crate::agent::Failure;
use crate::model::Status;

/// Maximum consecutive malformed replies that do not end the attempt.
const MOST: u32 = 3;

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
