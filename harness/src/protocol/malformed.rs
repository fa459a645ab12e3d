//! Replies in a row that a protocol could not use.

use crate::agent::Failure;
use crate::model::Status;

/// So many may be; one more ends the attempt.
const MOST: u32 = 3;

/// How many there were since the last one that could be used.
#[derive(Debug, Default)]
pub(super) struct Malformed(u32);

impl Malformed {
    /// Takes in a reply that could be used.
    pub(super) fn end(&mut self) {
        self.0 = 0;
    }

    /// Takes in another one. `what` says what they lack, `problem` what this one does.
    ///
    /// # Errors
    /// The attempt's failure, where it was one too many.
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
