//! Validates the messages of workers before they are stored.

use std::path::Path;

use harness::model::Event;
use queue::message::ResultHeader;
use records::run_dir::{WastedSource, keep_abandoned};
use records::{AttemptRecord, RunIdentity};
use tokio::sync::mpsc;

use crate::process::terminal;
use crate::run::event::RunEvent;
use crate::runner::Progress;

/// An attempt made by a worker.
pub(super) struct MadeAttempt {
    pub(super) record: AttemptRecord,
    events: Vec<Event>,
}

/// Parses the result of a worker.
///
/// # Errors
/// A sentence that describes what is invalid.
pub(super) fn read(
    identity: &RunIdentity,
    header: &ResultHeader,
    body: &[u8],
) -> Result<MadeAttempt, String> {
    let of = format!("attempt {} at {}", header.attempt, header.sample);
    let mut lines = body
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    let record = lines.next().unwrap_or_default();
    let record: AttemptRecord =
        serde_json::from_slice(record).map_err(|error| format!("{of}: invalid record: {error}"))?;
    let is_of = |run: &str, sample: &str, attempt: u32| {
        run == identity.run_id && sample == header.sample && attempt == header.attempt
    };
    if !is_of(&record.run_id, &record.id, record.attempt) {
        return Err(format!("{of}: the record belongs to another attempt"));
    }
    let mut events = Vec::new();
    for (place, line) in lines.enumerate() {
        let event: Event = serde_json::from_slice(line)
            .map_err(|error| format!("{of}: event {}: {error}", place + 1))?;
        if !is_of(&event.run_id, &event.sample, event.attempt) {
            return Err(format!(
                "{of}: event {} belongs to another attempt",
                place + 1
            ));
        }
        events.push(event);
    }
    Ok(MadeAttempt { record, events })
}

impl MadeAttempt {
    /// Reports the attempt as if it had been made locally.
    pub(super) fn report(
        self,
        index: usize,
        made: &mut Progress,
        events: &mpsc::UnboundedSender<RunEvent>,
    ) {
        let started = RunEvent::AttemptStarted {
            sample: self.record.id.clone(),
            attempt: self.record.attempt,
        };
        let each = self.events.into_iter().map(RunEvent::Engine);
        for event in std::iter::once(started).chain(each) {
            // Sending fails only after the end of the run.
            let _ = events.send(event);
        }
        made.add(self.record.of_sample(index), events);
    }
}

/// Stores wasted responses below the run directory `dir`; a failure is only a warning.
pub(super) fn store_wasted(dir: &Path, header: &ResultHeader, body: &[u8], number: u64) {
    let of = (header.sample.as_str(), header.attempt);
    let what = match header.wasted.as_deref() {
        Some("trajectory") => WastedSource::Trajectory(body),
        _ => WastedSource::Journal(body),
    };
    if let Err(error) = keep_abandoned(dir, of, number, what) {
        terminal::warning(&error.to_string());
    }
}
