//! The journal of an attempt: what it received from models, and what was done in its sandboxes, so that it survives its process.
//!
//! A response is with the operating system before anybody uses it. When the attempt goes on in another process, its cells run
//! again, and everything that the journal holds is answered from there; the first request that it lacks is asked of the model.
//!
//! Invariant: nothing here knows agents. What is asked is known by who asks and how often he has asked.

mod entry;
mod lane;

use std::io;

pub use entry::JOURNAL_VERSION;
pub(crate) use entry::{Kept, Key};
pub(crate) use lane::{Lane, Recalled};

/// Where the journals of a run's attempts are kept: a list of lines for each.
pub trait JournalStore: Send + Sync {
    /// The whole lines that earlier starts left of an attempt, oldest first. A last line that was never written to its end is
    /// taken off.
    ///
    /// # Errors
    /// What the system says.
    fn read(&self, sample: &str, attempt: u32) -> io::Result<Vec<String>>;

    /// Adds lines, each with its end. The operating system has them when this returns.
    ///
    /// # Errors
    /// What the system says.
    fn append(&self, sample: &str, attempt: u32, lines: &str) -> io::Result<()>;

    /// The attempt has ended: its lines are on the disk when this returns.
    ///
    /// # Errors
    /// What the system says.
    fn end(&self, sample: &str, attempt: u32) -> io::Result<()>;

    /// The attempt begins anew: what its lines say was paid is paid for nothing.
    ///
    /// # Errors
    /// What the system says.
    fn give_up(&self, sample: &str, attempt: u32) -> io::Result<()>;
}

/// The journals of an earlier run, whose responses are played back.
pub trait EarlierRun: Send + Sync {
    /// The whole lines of an attempt's journal, oldest first; none where there is none. Nothing is changed.
    fn lines(&self, sample: &str, attempt: u32) -> Vec<String>;
}
