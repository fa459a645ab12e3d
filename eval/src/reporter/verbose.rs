//! What agents do, one line per event: what `--verbose` adds to progress.

use std::collections::HashMap;

use harness::model::{Event, EventKind, WebEvent};
use report::sanitize::sanitize;
use serde_json::json;

use super::activity::action;
use super::tally::label;

/// Characters of a line; a turn of a web agent may be long.
const WIDTH: usize = 4_000;

/// Puts events into words. It knows in which iteration each agent is.
#[derive(Debug, Default)]
pub struct Narrator {
    /// By attempt and invocation.
    iterations: HashMap<(String, String), u32>,
}

impl Narrator {
    /// The line for an event: attempt, agent, and what it does. None for one that changes nothing to see.
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
            kind => action(kind)?,
        };
        Some(sanitize(
            &format!("{attempt} {}: {text}", event.invocation),
            WIDTH,
        ))
    }
}
