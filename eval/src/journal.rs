//! The engine's journal in the folder of a run.

use std::io;

use harness::journal::{EarlierRun, JournalStore};
use records::run_dir::Journal;

/// A run's folder as the engine's journal.
pub struct RunJournal(pub Journal);

impl JournalStore for RunJournal {
    fn read(&self, sample: &str, attempt: u32) -> io::Result<Vec<String>> {
        self.0.read(sample, attempt)
    }

    fn append(&self, sample: &str, attempt: u32, lines: &str) -> io::Result<()> {
        self.0.append(sample, attempt, lines)
    }

    fn end(&self, sample: &str, attempt: u32) -> io::Result<()> {
        self.0.end(sample, attempt)
    }

    fn give_up(&self, sample: &str, attempt: u32) -> io::Result<()> {
        self.0.give_up(sample, attempt)
    }
}

/// The run that a model plays back. Where it has no journal, as before there were any, cells read clocks and random numbers of
/// their own.
pub struct PlayedBack(pub Journal);

impl EarlierRun for PlayedBack {
    fn lines(&self, sample: &str, attempt: u32) -> Vec<String> {
        self.0.look(sample, attempt).unwrap_or_default()
    }
}
