//! Finds the calls that a resumed attempt has lost: calls that had no response when the process
//! ended, and calls of the judge.

use std::collections::BTreeMap;
use std::path::Path;

use model::{Event, EventKind};

use super::events::Events;
use super::journal::PaidResponse;
use super::{RunDirError, atomic};

#[derive(Default)]
struct PendingCall {
    /// Number of calls that the agent has made.
    asked: usize,
    /// Events of the newest call; empty once it is answered.
    newest: Vec<Event>,
}

/// Returns the events of the lost calls, which must be paid for again when the attempt resumes with
/// the responses in `paid`.
///
/// # Errors
/// Returns [`RunDirError::Read`] if the trajectory cannot be read.
pub(super) fn in_flight(
    trajectory: &Path,
    paid: &[PaidResponse],
) -> Result<Vec<Event>, RunDirError> {
    let mut agents: BTreeMap<String, PendingCall> = BTreeMap::new();
    let mut lost = Vec::new();
    for event in Events::open_for_counting(trajectory)? {
        let event = match event {
            Ok(event) => event,
            Err(RunDirError::Line { .. }) => continue,
            Err(error) => return Err(error),
        };
        let agent = agents.entry(event.invocation.clone()).or_default();
        match &event.kind {
            EventKind::LlmRequest { .. } => {
                agent.asked += 1;
                agent.newest = vec![without_messages(event)];
            }
            // After an error, the conversation is sent again as another call.
            EventKind::ContextTrimmed { .. }
            | EventKind::ContextCompacted {
                sent_again: true, ..
            } if agent.newest.is_empty() => {
                agent.asked += 1;
                let kind = EventKind::LlmRequest {
                    new_messages: Vec::new(),
                    messages: None,
                    estimate: None,
                };
                agent.newest = vec![Event { kind, ..event }];
            }
            // A call whose caller stopped waiting ends with a bill and an error and is not in the
            // journal.
            EventKind::LlmBilled { .. }
            | EventKind::LlmRetry { .. }
            | EventKind::LlmError { .. } => agent.newest.push(event),
            EventKind::LlmResponse { .. } | EventKind::LlmCached => agent.newest.clear(),
            EventKind::JudgeRequest { .. }
            | EventKind::JudgeBilled { .. }
            | EventKind::JudgeResponse { .. }
            | EventKind::JudgeError { .. } => lost.push(event),
            _ => {}
        }
    }
    for (invocation, agent) in agents {
        // The process may have died after writing the journal but before writing the events.
        let answered = paid
            .iter()
            .filter(|one| one.invocation == invocation && one.answers());
        if agent.asked > answered.count() {
            lost.extend(agent.newest);
        }
    }
    Ok(lost)
}

/// Removes all events from a trajectory except those of lost calls. Returns whether any are left.
///
/// # Errors
/// Returns [`RunDirError`] if the trajectory cannot be read or written.
pub(super) fn reduce_to_lost_calls(
    trajectory: &Path,
    paid: &[PaidResponse],
) -> Result<bool, RunDirError> {
    let lost = in_flight(trajectory, paid)?;
    atomic::write_lines(trajectory, &lost)
        .map_err(|reason| RunDirError::cannot_write(trajectory, reason))?;
    Ok(!lost.is_empty())
}

fn without_messages(event: Event) -> Event {
    let kind = match event.kind {
        EventKind::LlmRequest {
            messages, estimate, ..
        } => EventKind::LlmRequest {
            new_messages: Vec::new(),
            messages,
            estimate,
        },
        other => other,
    };
    Event { kind, ..event }
}
