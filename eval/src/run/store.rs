//! Stores a run in its directory as its events arrive.

use records::run_dir::RunWriter;
use report::summary::Summary;

use super::event::RunEvent;

/// Stores events in order, waiting for the disk once. On return, their records are on disk. A write
/// failure does not stop the run; [`RunWriter::take_error`] returns it. At the end of the run,
/// returns the summary as stored, with wasted spending.
pub fn store(writer: &mut RunWriter, events: &[RunEvent]) -> Option<Summary> {
    let mut stored = None;
    for event in events {
        match event {
            RunEvent::RunStarted(_) | RunEvent::Spending(_) => {}
            RunEvent::AttemptStarted { sample, attempt } => {
                writer.begin_attempt(sample, *attempt);
            }
            RunEvent::Engine(event) => writer.event(event),
            RunEvent::AttemptFinished(record) => writer.end_attempt(record),
            RunEvent::RunFinished(summary) => {
                let summary = Summary::clone(summary);
                stored = writer.finish(|wasted| summary.with_wasted(wasted));
            }
        }
    }
    writer.sync();
    stored
}
