//! Immediate agents, which start together with their caller.

use std::sync::Arc;

use serde_json::Value;

use super::background::Background;
use super::subprompt::FirstMessage;
use crate::agent::{Attempt, Invocation};
use crate::model::EventKind;
use crate::prompt::sections::{NOTE_AGENT_DONE, NOTE_AGENT_READY, NOTE_AGENT_STARTED};
use crate::tool::{ImmediateAgent, InstanceKind, ToolError};

impl Attempt<'_> {
    /// Starts the immediate agents of a caller's definition, and adds a note about each. Does
    /// nothing for children that inherited their tools.
    pub fn start_immediate<'b>(
        &'b self,
        caller: &Invocation,
        mut next_id: impl FnMut() -> String,
        background: &mut Background<'b>,
    ) {
        if !caller.is_root() && caller.plan.settings.is_none() {
            return;
        }
        for agent in caller.plan.tools.immediate() {
            let id = next_id();
            let started = match &agent.kind {
                Some(kind) => self.start_instance(caller, &id, agent, kind, background),
                None => self.start_once(caller, &id, agent, background),
            };
            match started {
                Ok(()) => {
                    let note = match agent.kind {
                        Some(_) => NOTE_AGENT_READY,
                        None => NOTE_AGENT_STARTED,
                    };
                    background.note(note.render([&id, &agent.agent, &agent.name]));
                }
                Err(ToolError(error)) => {
                    background.note(NOTE_AGENT_DONE.render([&id, &format!("error: {error}")]));
                    let event = EventKind::DelegationError { child: id, error };
                    self.records.emit(caller, event);
                }
            }
        }
    }

    /// Starts an agent that answers one message: the configured message, or else its caller's
    /// query.
    fn start_once<'b>(
        &'b self,
        caller: &Invocation,
        id: &str,
        agent: &ImmediateAgent,
        background: &mut Background<'b>,
    ) -> Result<(), ToolError> {
        let first = FirstMessage {
            name: Some(agent.name.clone()),
            ..FirstMessage::text(
                agent
                    .message
                    .clone()
                    .unwrap_or_else(|| caller.query().to_owned()),
            )
        };
        let specialist = self.specialist(&agent.specialist)?;
        let input = Value::String(first.text.clone());
        let running = self.start_with(caller, id, specialist, &agent.settings, first, input)?;
        background.start(id.to_owned(), Box::pin(async move { Ok(running.await) }));
        Ok(())
    }

    /// Starts an instance, and sends it the configured message, if any.
    fn start_instance<'b>(
        &'b self,
        caller: &Invocation,
        id: &str,
        agent: &ImmediateAgent,
        kind: &Arc<InstanceKind>,
        background: &mut Background<'b>,
    ) -> Result<(), ToolError> {
        let created = self.create_instance(caller, id, kind, &agent.name)?;
        background.keep(created.serving);
        let Some(message) = agent.message.clone() else {
            return Ok(());
        };
        let (kind, answered) = self.post(caller, id, Value::String(message))?;
        let (caller, of) = (caller.clone(), id.to_owned());
        let work = async move {
            let answer = self.await_reply(&caller, &of, &kind, answered).await;
            answer.map_err(|error| error.to_string())
        };
        background.start(id.to_owned(), Box::pin(work));
        Ok(())
    }
}
