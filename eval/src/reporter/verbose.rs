//! Describes agents' events, one line each, for `--verbose`.

use std::collections::HashMap;

use harness::model::{Event, EventKind, WebEvent};
use report::sanitize::sanitize;
use serde_json::json;

use super::activity::action;
use super::tally::label;

/// Maximum characters of a line. A web agent's turn may be long.
const WIDTH: usize = 4_000;

/// Maximum characters of a response's text in a line.
const RESPONSE_WIDTH: usize = 500;

/// Describes events, tracking the iteration of each agent.
#[derive(Debug, Default)]
pub struct Narrator {
    /// Current iteration of each agent, by label of the attempt and id of the invocation.
    iterations: HashMap<(String, String), u32>,
}

impl Narrator {
    /// Returns the line for an event, with attempt, agent and action, or `None` for an event
    /// without a description.
    pub fn line(&mut self, event: &Event) -> Option<String> {
        let attempt = label(&event.sample, event.attempt);
        let agent = (attempt.clone(), event.invocation.clone());
        let text = match &event.kind {
            EventKind::IterationStart { iteration } => {
                self.iterations.insert(agent, *iteration);
                format!("iteration {iteration}")
            }
            EventKind::InvocationEnd { status, .. } => {
                self.iterations.remove(&agent);
                format!("ended {status}")
            }
            EventKind::Web {
                event:
                    WebEvent::Envelope {
                        envelope, problem, ..
                    },
            } => {
                let turn = match envelope {
                    Some(envelope) => json!(envelope),
                    None => json!({ "problem": problem }),
                };
                let iteration = self.iterations.get(&agent).copied().unwrap_or_default();
                format!("[dddk webagent] turn {iteration} {turn}")
            }
            kind @ EventKind::LlmResponse { text, .. } if !text.trim().is_empty() => {
                format!("{}: {}", action(kind)?, sanitize(text, RESPONSE_WIDTH))
            }
            kind => action(kind)?,
        };
        Some(sanitize(
            &format!("{attempt} {}: {text}", event.invocation),
            WIDTH,
        ))
    }
}
