//! Connects the engine's journal to the folder of a run.

use std::io;

use harness::journal::{JournalStore, ReplayedJournals};
use records::run_dir::Journal;

/// Journal of a run being recorded.
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

/// Journal of a run being replayed. Runs of versions without journals have none; their cells then
/// read live clocks and random numbers.
pub struct PlayedBack(pub Journal);

impl ReplayedJournals for PlayedBack {
    fn lines(&self, sample: &str, attempt: u32) -> Vec<String> {
        self.0.look(sample, attempt).unwrap_or_default()
    }
}
