//! Stores a run in its directory as its events arrive.

use records::run_dir::{RunDirError, RunWriter};
use report::summary::Summary;

use super::event::RunEvent;

/// Stores a run as its events arrive. A write failure does not stop it; the runner polls for
/// failures.
#[derive(Debug)]
pub struct RunStore {
    writer: RunWriter,
    summary: Option<Summary>,
}

impl RunStore {
    /// Creates a store for the directory of this writer.
    pub fn new(writer: RunWriter) -> Self {
        Self {
            writer,
            summary: None,
        }
    }

    /// Returns the first write failure since the last call.
    pub fn take_error(&mut self) -> Option<RunDirError> {
        self.writer.take_error()
    }

    /// Takes the summary as stored at the end of the run, with wasted spending.
    pub fn take_summary(&mut self) -> Option<Summary> {
        self.summary.take()
    }

    /// Stores events in order, waiting for the disk once. On return, their records are on disk.
    pub fn report_all(&mut self, events: &[RunEvent]) {
        for event in events {
            self.store(event);
        }
        self.writer.sync();
    }

    fn store(&mut self, event: &RunEvent) {
        match event {
            RunEvent::RunStarted(_) | RunEvent::Spending(_) => {}
            RunEvent::AttemptStarted { sample, attempt } => {
                self.writer.begin_attempt(sample, *attempt);
            }
            RunEvent::Engine(event) => self.writer.event(event),
            RunEvent::AttemptFinished(record) => self.writer.end_attempt(record),
            RunEvent::RunFinished(summary) => {
                let summary = Summary::clone(summary);
                self.summary = self.writer.finish(|wasted| summary.with_wasted(wasted));
            }
        }
    }
}
