//! The journal of an attempt: model responses and sandbox steps, from which another process can
//! resume the attempt.
//!
//! A response is written to the journal before it is used. When another process resumes the
//! attempt, the cells run again, and requests are answered from the journal. Requests that the
//! journal does not contain are sent to the model.
//!
//! Every line contains its number and a checksum that also covers the lines before it, so that
//! edited, missing and reordered lines are detected. Lines of version 1 have neither.
//!
//! Invariant: this module does not depend on agents. A request is identified by the agent's
//! invocation id and the request's number.

mod continuation;
mod digest;
mod entry;
mod fork;
mod attempt_journal;
mod seal;

use std::io;

pub use continuation::continue_after_error;

pub(crate) use attempt_journal::{AttemptJournal, Recalled};
pub(crate) use digest::Digests;
pub use entry::{Fork, JOURNAL_VERSION};
pub(crate) use entry::{JournaledResponse, Matching, RequestKey};
pub use fork::{ForkPoint, ForkedJournal, fork};

/// Storage for the journals of a run: a list of lines for each attempt.
pub trait JournalStore: Send + Sync {
    /// Returns the complete lines of an attempt from earlier processes, oldest first. Removes a
    /// truncated last line.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    fn read(&self, sample: &str, attempt: u32) -> io::Result<Vec<String>>;

    /// Appends complete lines. They are written to the operating system when this returns.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    fn append(&self, sample: &str, attempt: u32, lines: &str) -> io::Result<()>;

    /// Returns the name of an attempt's journal for messages.
    fn name(&self, _sample: &str, _attempt: u32) -> String {
        "the journal".to_owned()
    }

    /// Marks the attempt as ended, after syncing its lines to disk.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    fn end(&self, sample: &str, attempt: u32) -> io::Result<()>;

    /// Abandons the lines of an attempt that restarts. The cost of their responses counts as
    /// abandoned.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    fn give_up(&self, sample: &str, attempt: u32) -> io::Result<()>;
}

/// Journals of an earlier run that is replayed.
pub trait ReplayedJournals: Send + Sync {
    /// Returns the complete lines of an attempt's journal, oldest first, or no lines if there is no
    /// journal. Does not change the journal.
    fn lines(&self, sample: &str, attempt: u32) -> Vec<String>;
}
