//! Stores a run in its directory as its events come.

use records::run_dir::{RunDirError, RunWriter};
use report::summary::Summary;

use crate::run_event::{Reporter, RunEvent};

/// Stores a run as its events come. A failure to write ends nothing; the runner asks for it.
#[derive(Debug)]
pub struct RunStore {
    writer: RunWriter,
    summary: Option<Summary>,
}

impl RunStore {
    /// Into the directory of this writer.
    pub fn new(writer: RunWriter) -> Self {
        Self {
            writer,
            summary: None,
        }
    }

    /// The directory.
    pub fn writer(&self) -> &RunWriter {
        &self.writer
    }

    /// The first failure to write since the last call, if there was one.
    pub fn take_error(&mut self) -> Option<RunDirError> {
        self.writer.take_error()
    }

    /// The summary as it was stored, once the run has ended: with what was spent for nothing.
    pub fn take_summary(&mut self) -> Option<Summary> {
        self.summary.take()
    }

    /// Stores events in their order; records among them are on the disk when this returns. They wait for it once.
    pub fn report_all(&mut self, events: &[RunEvent]) {
        for event in events {
            self.store(event);
        }
        self.writer.sync();
    }

    fn store(&mut self, event: &RunEvent) {
        match event {
            RunEvent::RunStarted(_) => {}
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

impl Reporter for RunStore {
    fn report(&mut self, event: &RunEvent) {
        self.report_all(std::slice::from_ref(event));
    }
}
