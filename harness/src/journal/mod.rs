//! The journal of an attempt: responses of models and steps of its sandboxes, from which another
//! process can resume it.
//!
//! A response is passed to the operating system before it is used. When another process resumes the
//! attempt, its cells run again, and the journal answers all requests that it contains. The first
//! request that is missing is sent to the model.
//!
//! Every line carries its number and a checksum that also covers the lines before it, so that
//! edits, deletions and a changed order are found. Lines of version 1 have neither.
//!
//! Invariant: this module does not depend on agents. A request is identified by its caller and its
//! number.

mod continuation;
mod digest;
mod entry;
mod fork;
mod lane;
mod seal;

use std::io;

pub use continuation::continue_after_error;

pub(crate) use digest::Digests;
pub use entry::JOURNAL_VERSION;
pub(crate) use entry::{Kept, Key, Matching};
pub use fork::{Fork, ForkPoint, ForkedJournal, fork};
pub(crate) use lane::{Lane, Recalled};

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

    /// Returns the name of an attempt's journal for messages.
    fn name(&self, _sample: &str, _attempt: u32) -> String {
        "the journal".to_owned()
    }

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
pub trait EarlierRun: Send + Sync {
    /// Returns the complete lines of an attempt's journal, oldest first, or no lines if there is no
    /// journal. Does not change the journal.
    fn lines(&self, sample: &str, attempt: u32) -> Vec<String>;
}
