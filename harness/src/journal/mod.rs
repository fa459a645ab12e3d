//! The journal of an attempt: responses of models and steps of its sandboxes, from which another
//! process can resume it.
//!
//! A response is passed to the operating system before it is used. When another process resumes the
//! attempt, its cells run again, and the journal answers all requests that it contains. The first
//! request that is missing is sent to the model.
//!
//! Invariant: this module does not depend on agents. A request is identified by its caller and its
//! number.

mod entry;
mod attempt_journal;

use std::io;

pub(crate) use attempt_journal::{AttemptJournal, Recalled};
pub use entry::JOURNAL_VERSION;
pub(crate) use entry::{JournaledResponse, RequestKey};

/// Storage for the journals of a run: a list of lines for each attempt.
pub trait JournalStore: Send + Sync {
    /// Returns the complete lines of an attempt from earlier processes, oldest first. Removes a
    /// truncated last line.
    ///
    /// # Errors
    /// Returns the error of the system.
    fn read(&self, sample: &str, attempt: u32) -> io::Result<Vec<String>>;

    /// Appends complete lines. The operating system has received them when this returns.
    ///
    /// # Errors
    /// Returns the error of the system.
    fn append(&self, sample: &str, attempt: u32, lines: &str) -> io::Result<()>;

    /// Marks the attempt as ended. Its lines are on disk when this returns.
    ///
    /// # Errors
    /// Returns the error of the system.
    fn end(&self, sample: &str, attempt: u32) -> io::Result<()>;

    /// Abandons the lines of an attempt that restarts. What was paid for them counts as abandoned.
    ///
    /// # Errors
    /// Returns the error of the system.
    fn give_up(&self, sample: &str, attempt: u32) -> io::Result<()>;
}

/// Journals of an earlier run that is replayed.
pub trait ReplayedJournals: Send + Sync {
    /// Returns the complete lines of an attempt's journal, oldest first, or no lines if there is no
    /// journal. Does not change the journal.
    fn lines(&self, sample: &str, attempt: u32) -> Vec<String>;
}
