//! The usage and result of an iteration, collected from its events.

use model::web::ActionStatus;
use model::{EventKind, Usage, WebEvent};
use records::is_zero;
use serde::Serialize;

use super::file_parts::LineLocation;

/// Usage and result of an iteration.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct IterationMarks {
    /// Number of errors: failed cells, requests, tool and page calls, action lists and envelopes,
    /// and cells with calls that were not awaited.
    #[serde(skip_serializing_if = "is_zero")]
    errors: u32,
    /// Whether the agent returned a value that was not intercepted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    returned: bool,
    /// Whether a returned value was intercepted and shown to the agent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    intercepted: bool,
    /// Ids of agents that were called or created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<String>,
    /// Number of failed calls to children.
    #[serde(skip_serializing_if = "is_zero")]
    failed_calls: u32,
    /// Token counts: input, cached input, output, reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<[u64; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    /// Time spent waiting for the model, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    model_ms: Option<f64>,
    /// Time spent executing code, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_ms: Option<f64>,
    /// Location of the event with the last image.
    #[serde(skip)]
    pub(super) picture: Option<LineLocation>,
}

impl IterationMarks {
    /// Processes an event of the iteration at the location `place`.
    pub(super) fn take(&mut self, kind: &EventKind, place: LineLocation) {
        match kind {
            EventKind::IterationEnd {
                error,
                returned,
                intercepted,
                executed_ms,
                ..
            } => {
                self.errors += u32::from(error.is_some());
                let is_intercepted = *intercepted == Some(true);
                self.returned |= returned.is_some() && !is_intercepted;
                self.intercepted |= returned.is_some() && is_intercepted;
                add(&mut self.code_ms, *executed_ms);
            }
            EventKind::LlmResponse {
                usage,
                cost_usd,
                ms,
                ..
            } => {
                self.used(usage.as_ref().map(tokens), *cost_usd);
                add(&mut self.model_ms, *ms);
            }
            EventKind::LlmBilled { usage, cost_usd } => self.used(Some(tokens(usage)), *cost_usd),
            EventKind::LlmError { ms, .. } => {
                self.errors += 1;
                add(&mut self.model_ms, *ms);
            }
            EventKind::ToolCall { is_error, .. } => self.errors += u32::from(*is_error),
            EventKind::DelegationSpawn { child, .. }
            | EventKind::AgentCreated { child, .. }
            | EventKind::MessageSent { child }
                if !self.children.contains(child) =>
            {
                self.children.push(child.clone());
            }
            EventKind::DelegationError { .. } => self.failed_calls += 1,
            EventKind::DelegationUnawaited { .. } => self.errors += 1,
            EventKind::LlmRequest { new_messages, .. }
                if new_messages
                    .iter()
                    .any(|message| !message.images.is_empty()) =>
            {
                self.picture = Some(place);
            }
            EventKind::Web { event } => match event {
                WebEvent::Screenshot { .. } => self.picture = Some(place),
                WebEvent::NoPage { .. } => self.errors += 1,
                WebEvent::PageCall { error, .. } => self.errors += u32::from(error.is_some()),
                WebEvent::Envelope { problem, .. } | WebEvent::JsonAction { problem, .. } => {
                    self.errors += u32::from(problem.is_some());
                }
                WebEvent::ActionResults { results } => {
                    let failed = results.iter().any(|one| one.result == ActionStatus::Failed);
                    self.errors += u32::from(failed);
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn used(&mut self, usage: Option<[u64; 4]>, cost_usd: Option<f64>) {
        if let Some(usage) = usage {
            let sums = self.usage.get_or_insert_default();
            for (sum, tokens) in sums.iter_mut().zip(usage) {
                *sum += tokens;
            }
        }
        add(&mut self.cost_usd, cost_usd);
    }

    /// Adds the marks of a later iteration.
    pub(super) fn and(&mut self, other: &Self) {
        self.errors += other.errors;
        self.returned |= other.returned;
        self.intercepted |= other.intercepted;
        self.children.extend_from_slice(&other.children);
        self.failed_calls += other.failed_calls;
        self.used(other.usage, other.cost_usd);
        add(&mut self.model_ms, other.model_ms);
        add(&mut self.code_ms, other.code_ms);
        self.picture = other.picture.or(self.picture);
    }
}

fn tokens(usage: &Usage) -> [u64; 4] {
    [
        usage.input_tokens,
        usage.cached_input_tokens,
        usage.output_tokens,
        usage.reasoning_tokens,
    ]
}

fn add(sum: &mut Option<f64>, more: Option<f64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or_default() + more);
    }
}
