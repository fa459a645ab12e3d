//! Connects the engine's journal to the folder of a run.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use harness::journal::{JournalStore, ReplayedJournals};
use records::run_dir::Journal;

use crate::process::terminal;

/// Journal of a run being recorded.
pub struct RunJournal {
    journal: Arc<Journal>,
}

impl RunJournal {
    /// Creates the journal of a run. Its lines are synced to disk at the end of each attempt and,
    /// if `interval` is given, at this interval.
    pub fn new(journal: Journal, interval: Option<Duration>) -> Self {
        let journal = Arc::new(journal);
        if let Some(interval) = interval {
            let synced = Arc::downgrade(&journal);
            std::thread::spawn(move || {
                loop {
                    std::thread::sleep(interval);
                    let Some(journal) = synced.upgrade() else {
                        return;
                    };
                    if let Err(error) = journal.sync() {
                        let problem = "the journal cannot be synced to disk";
                        terminal::warning(&format!("{problem}: {error}"));
                        return;
                    }
                }
            });
        }
        Self { journal }
    }
}

impl JournalStore for RunJournal {
    fn read(&self, sample: &str, attempt: u32) -> io::Result<Vec<String>> {
        let read = self.journal.read(sample, attempt)?;
        if read.is_cut {
            terminal::note(&format!(
                "{}: line {} is truncated and was removed; its request is sent again",
                self.name(sample, attempt),
                read.lines.len() + 1
            ));
        }
        Ok(read.lines)
    }

    fn append(&self, sample: &str, attempt: u32, lines: &str) -> io::Result<()> {
        self.journal.append(sample, attempt, lines)
    }

    fn name(&self, sample: &str, attempt: u32) -> String {
        self.journal.name(sample, attempt)
    }

    fn end(&self, sample: &str, attempt: u32) -> io::Result<()> {
        self.journal.end(sample, attempt)
    }

    fn give_up(&self, sample: &str, attempt: u32) -> io::Result<()> {
        self.journal.give_up(sample, attempt)
    }
}

/// Journal of a run being replayed. Cells of an attempt without a readable journal read live clocks
/// and random numbers.
pub struct ReplayedRunJournal(pub Journal);

impl ReplayedJournals for ReplayedRunJournal {
    fn lines(&self, sample: &str, attempt: u32) -> Vec<String> {
        match self.0.look(sample, attempt) {
            Ok(lines) => lines,
            Err(error) => {
                // A cassette is a file, without journals. Runs recorded before journals existed
                // have none.
                let is_absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
                if !is_absent.contains(&error.kind()) {
                    terminal::warning(&format!(
                        "cannot replay the clocks and random numbers of {sample}: {error}"
                    ));
                }
                Vec::new()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// Limit after which a hung test fails.
    const HUNG: Duration = Duration::from_secs(60);

    #[test]
    fn syncs_in_intervals() {
        let folder = tempfile::tempdir().unwrap();
        let interval = Some(Duration::from_millis(1));
        let synced = RunJournal::new(Journal::of(folder.path()), interval);
        let unsynced = RunJournal::new(Journal::of(folder.path()), None);
        for (name, run) in [("a", &synced), ("b", &unsynced)] {
            run.append(name, 1, "{}\n").unwrap();
        }
        let began = Instant::now();
        while synced.journal.unsynced() > 0 {
            assert!(began.elapsed() < HUNG, "the journal was not synced");
            std::thread::yield_now();
        }
        assert_eq!(unsynced.journal.unsynced(), 1);
    }
}
