//! Describes the current activity of an attempt in one line.

use std::collections::BTreeMap;

use harness::agent_turn::ActionStatus;
use harness::model::web::{Envelope, Step};
use harness::model::{Event, EventKind, WebEvent};
use report::sanitize::sanitize;

use super::tally::label;
use crate::process::terminal::counted;

/// Maximum width of the last action, in columns; the terminal may be narrower.
const ACTION_WIDTH: usize = 100;

/// State of an attempt in progress.
#[derive(Debug)]
pub(super) struct Activity {
    label: String,
    /// Iteration of the root, 0 before the first.
    iteration: u32,
    /// Iteration limit of the root, 0 while unknown.
    max_iterations: u32,
    /// Depths of the active agents, by invocation.
    live: BTreeMap<String, u32>,
    action: String,
}

impl Activity {
    pub(super) fn new(sample: &str, attempt: u32) -> Self {
        Self {
            label: label(sample, attempt),
            iteration: 0,
            max_iterations: 0,
            live: BTreeMap::new(),
            action: "starts".to_owned(),
        }
    }

    /// Updates the state for an event.
    pub(super) fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::InvocationStart { max_iterations, .. } => {
                self.live.insert(event.invocation.clone(), event.depth);
                if event.depth == 0 {
                    self.max_iterations = *max_iterations;
                }
            }
            EventKind::InvocationEnd { .. } => {
                self.live.remove(&event.invocation);
            }
            EventKind::IterationStart { iteration } if event.depth == 0 => {
                self.iteration = *iteration;
            }
            _ => {}
        }
        if let Some(action) = action(&event.kind) {
            let who = if event.depth == 0 {
                String::new()
            } else {
                format!("{} ", event.invocation)
            };
            self.action = sanitize(&format!("{who}{action}"), ACTION_WIDTH);
        }
    }

    /// Formats the line:
    /// `s-niah-8k-1  iteration 2/15  depth 2, 3 children  d1-c0 asks its model`.
    pub(super) fn line(&self) -> String {
        let mut parts = vec![self.label.clone()];
        if self.max_iterations > 0 {
            let Self {
                iteration,
                max_iterations,
                ..
            } = self;
            parts.push(format!("iteration {iteration}/{max_iterations}"));
        }
        let children = self.live.values().filter(|depth| **depth > 0).count();
        if children > 0 {
            let depth = self.live.values().max().copied().unwrap_or_default();
            let word = if children == 1 { "child" } else { "children" };
            parts.push(format!("depth {depth}, {children} {word}"));
        }
        parts.push(self.action.clone());
        parts.join("  ")
    }
}

/// Describes what an agent does after an event, as the end of a sentence, or returns `None` for an
/// event without a description.
pub(super) fn action(kind: &EventKind) -> Option<String> {
    let action = match kind {
        EventKind::LlmRequest { .. } => "asks its model".to_owned(),
        EventKind::LlmResponse {
            usage: Some(usage), ..
        } => {
            format!(
                "got a response of {}",
                counted(usage.output_tokens, "token")
            )
        }
        EventKind::LlmResponse { .. } => "got a response".to_owned(),
        EventKind::LlmRetry { error, delay_ms } => {
            format!("retries in {:.1} s: {error}", delay_ms / 1000.0)
        }
        EventKind::ContextTrimmed { messages, .. } => {
            format!("dropped {}", counted(messages.len() as u64, "old output"))
        }
        EventKind::ContextCompacted { messages, .. } => {
            format!("cuts {}", counted(messages.len() as u64, "old message"))
        }
        EventKind::LlmError { error, .. } => format!("got no response: {error}"),
        EventKind::IterationEnd {
            error: Some(error), ..
        } => format!("ran a cell that failed: {error}"),
        EventKind::IterationEnd {
            intercepted: Some(true),
            ..
        } => "must confirm its return".to_owned(),
        EventKind::IterationEnd { .. } => "ran a cell".to_owned(),
        EventKind::ToolCall { name, is_error, .. } if *is_error => {
            format!("got an error from {name}")
        }
        EventKind::ToolCall { name, .. } => format!("called {name}"),
        EventKind::DelegationSpawn { child, .. } => format!("calls {child}"),
        EventKind::AgentCreated { child, name, .. } => format!("creates {child} ({name})"),
        EventKind::MessageSent { child } => format!("sends a message to {child}"),
        EventKind::DelegationReturn { child, .. } => format!("got an answer from {child}"),
        EventKind::DelegationError { child, error } => {
            format!("got no answer from {child}: {error}")
        }
        EventKind::JudgeRequest { .. } => "has an answer, which is being judged".to_owned(),
        EventKind::Web { event } => return happened(event),
        EventKind::DelegationUnawaited { count } => {
            format!("left {} unawaited", counted(*count, "call"))
        }
        EventKind::AttemptResumed { responses } => {
            format!("continues with {}", counted(*responses, "earlier response"))
        }
        EventKind::AttemptRestarted { reason } => format!("restarts: {reason}"),
        EventKind::AttemptStart { .. }
        | EventKind::AttemptEnd { .. }
        | EventKind::InvocationStart { .. }
        | EventKind::InvocationEnd { .. }
        | EventKind::MessageReceived { .. }
        | EventKind::MessageAnswered { .. }
        | EventKind::LlmWait { .. }
        | EventKind::LlmCached
        | EventKind::LlmBilled { .. }
        | EventKind::JudgeBilled { .. }
        | EventKind::JudgeResponse { .. }
        | EventKind::JudgeError { .. }
        | EventKind::HookNote { .. }
        | EventKind::IterationStart { .. } => return None,
    };
    Some(action)
}

/// Returns the last text for the user in a turn.
fn narrated(envelope: &Envelope) -> Option<&str> {
    envelope.actions.iter().rev().find_map(|step| match step {
        Step::Narrate { narrate } => Some(narrate.as_str()),
        Step::Tool(_) => None,
    })
}

/// Describes an event in the attempt's environment, as the end of a sentence.
fn happened(event: &WebEvent) -> Option<String> {
    match event {
        WebEvent::JsonAction {
            action, problem, ..
        } => Some(match (action, problem) {
            (Some(action), _) => format!("chooses {action}"),
            (None, Some(problem)) => format!("has a malformed response: {problem}"),
            (None, None) => return None,
        }),
        WebEvent::DocumentRead { uri, .. } => Some(format!("has an app that reads {uri}")),
        WebEvent::Envelope {
            problem: Some(problem),
            ..
        } => Some(format!("has a malformed envelope: {problem}")),
        WebEvent::Envelope {
            envelope: Some(envelope),
            ..
        } => narrated(envelope).map(|text| format!("says {text:?}")),
        // If the turn only sent a message to the user, keep showing the message.
        WebEvent::ActionResults { results }
            if results.iter().all(|result| result.action == "narrate") =>
        {
            None
        }
        WebEvent::ActionResults { results } => {
            let done = results
                .iter()
                .filter(|result| result.result == ActionStatus::Done);
            Some(format!(
                "performed {}",
                counted(done.count() as u64, "action")
            ))
        }
        WebEvent::Page { dump, .. } => Some(format!("looks at {}", dump.url)),
        WebEvent::PageCall {
            function, error, ..
        } => Some(match error {
            None => format!("called {function}"),
            Some(error) => format!("made a call that failed: {error}"),
        }),
        WebEvent::Refused { addresses } => Some(format!(
            "had {} blocked",
            counted(addresses.len() as u64, "request")
        )),
        WebEvent::NoPage { problem } => Some(format!("cannot see its page: {problem}")),
        WebEvent::Envelope { .. }
        | WebEvent::Screenshot { .. }
        | WebEvent::TurnLog { .. }
        | WebEvent::State { .. } => None,
    }
}
