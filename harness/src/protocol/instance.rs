//! Instances: agents that answer their caller's messages one at a time. The caller creates them,
//! and they end with the caller.

use std::sync::Arc;

use futures::future::BoxFuture;
use sandbox::message::Context;
use serde_json::{Value, json};

use crate::agent::{
    Attempt, Failure, Inbox, Invocation, Outbox, QueuedMessage, ReplyReceiver, Specialist,
    answer_messages,
};
use crate::model::{EventKind, Message, Role};
use crate::protocol::direct::OneCall;
use crate::protocol::rlm::ReplAgent;
use crate::protocol::subprompt::{FirstMessage, first, inherited_by, result_text};
use crate::protocol::tool_run::{Created, names};
use crate::protocol::tools::ToolsAgent;
use crate::tool::{InstanceKind, ToolError};

impl Attempt<'_> {
    /// Creates an instance of this kind, which is idle until its first message.
    ///
    /// # Errors
    /// Returns the error for the caller: an empty name, too many instances, or the depth limit.
    pub fn create_instance<'b>(
        &'b self,
        caller: &Invocation,
        id: &str,
        kind: &Arc<InstanceKind>,
        name: &str,
    ) -> Result<Created<'b>, ToolError> {
        let name = name.trim();
        if name.is_empty() {
            let create = names(caller).create;
            return Err(ToolError(format!("{create}(): the name must not be empty")));
        }
        caller.instances.admit(names(caller).create, kind)?;
        let specialist = Arc::clone(self.specialist(&kind.specialist)?);
        // An instance receives its messages later, so its name stands for its query.
        let mut child = self.specialist_child(caller, id, &specialist, name.to_owned())?;
        child.outbox = kind.explicit.then(Outbox::default);
        self.emit_created(caller, &child, name);
        let earlier = inherited_by(&specialist, caller);
        let (log, outbox) = (child.log.clone(), child.outbox.clone());
        let inbox = caller.instances.open(id, name, kind, log, outbox);
        let value = json!({ "id": id, "agent": kind.agent, "name": name });
        let (caller, id) = (caller.clone(), id.to_owned());
        let serving = Box::pin(async move {
            if let Err(failure) = self.serve(child, &specialist, earlier, inbox).await {
                caller.instances.answered(&id, &Err(failure));
            }
        });
        Ok(Created { value, serving })
    }

    /// Sends a message to an instance of the caller.
    ///
    /// # Errors
    /// Returns the error for the caller: an unknown, closed or busy instance, or an invalid
    /// message.
    pub fn post(
        &self,
        caller: &Invocation,
        id: &str,
        message: Value,
    ) -> Result<(Arc<InstanceKind>, ReplyReceiver), ToolError> {
        let function = names(caller).send;
        let kind = caller.instances.kind(function, id)?;
        let specialist = self.specialist(&kind.specialist)?;
        let first = match message {
            Value::String(text) if !text.trim().is_empty() => FirstMessage::text(text),
            Value::Object(_) => {
                let input = match &kind.schema {
                    None => message,
                    Some(schema) => schema.accept(message).map_err(|faults| {
                        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
                        let faults = faults.join("; ");
                        ToolError(format!(
                            "{function}(): wrong arguments of {}: {faults}",
                            kind.agent
                        ))
                    })?,
                };
                first(specialist, &kind.settings, &input)?
            }
            _ => {
                return Err(ToolError(format!(
                    "{function}(): the message must be a text that is not empty, or an object of arguments"
                )));
            }
        };
        let message = first.into_message();
        let answered = caller.instances.send(function, id, message)?;
        self.records.count(|stats| stats.delegations += 1);
        self.emit_sent(caller, id);
        Ok((kind, answered))
    }

    /// Waits for the reply to a message, and returns it as text for the caller.
    pub async fn await_reply(
        &self,
        caller: &Invocation,
        id: &str,
        kind: &InstanceKind,
        answered: ReplyReceiver,
    ) -> Result<String, ToolError> {
        let Ok(result) = answered.await else {
            // The instance ended before it processed the message.
            let ended = caller.instances.show(names(caller).send, id).err();
            return Err(ended.unwrap_or_else(|| ToolError(format!("{id} has ended"))));
        };
        self.emit_answered(caller, id, &result);
        let (calls, said) = caller.instances.drain_output(id);
        let (text, error) = match result {
            Ok(answer) => (Some(answer), None),
            Err(failure) => (None, Some(failure.reason)),
        };
        let text = said.map(|said| said.join("\n\n")).or(text);
        Ok(result_text(
            &kind.settings,
            text.as_deref(),
            &calls,
            error.as_deref(),
        ))
    }

    /// Runs an agent until its inbox is closed. `earlier` is the beginning of its conversation.
    ///
    /// # Errors
    /// Returns a failure if the agent could not start. Later failures are sent as replies to
    /// messages.
    pub fn serve<'b>(
        &'b self,
        child: Invocation,
        specialist: &Arc<Specialist>,
        earlier: Vec<Message>,
        inbox: Inbox,
    ) -> BoxFuture<'b, Result<(), Failure>> {
        let specialist = Arc::clone(specialist);
        Box::pin(async move {
            match child.plan.role {
                Role::DualAi | Role::AiHuman => {
                    return self.talk(&child, &specialist, inbox).await;
                }
                Role::Specialist => {
                    let session = self.open_session(&child).await?;
                    let _subscription = self.subscribe_to_budget(&session);
                    let context = Context::text(String::new());
                    let functions = child.functions();
                    let repl = session.open_with(None, context, self.info(&child), functions);
                    let mut agent = ReplAgent::new(self, child.clone(), &session, repl, earlier);
                    answer_messages(self, &child, &mut agent, inbox).await;
                }
                Role::ToolSpecialist => {
                    let mut agent = ToolsAgent::of_child(self, &child, earlier);
                    Box::pin(answer_messages(self, &child, &mut agent, inbox)).await;
                }
                _ => {
                    let mut agent = OneCall::of_messages(earlier);
                    answer_messages(self, &child, &mut agent, inbox).await;
                }
            }
            Ok(())
        })
    }

    /// Runs an agent for one message.
    ///
    /// # Errors
    /// Returns the reason why there is no answer.
    pub async fn serve_once(
        &self,
        child: Invocation,
        specialist: &Arc<Specialist>,
        message: Message,
    ) -> Result<String, Failure> {
        let (sender, inbox) = futures::channel::mpsc::unbounded();
        let (letter, answered) = QueuedMessage::new(message);
        let _ = sender.unbounded_send(letter);
        drop(sender);
        self.serve(child, specialist, Vec::new(), inbox).await?;
        answered.await.unwrap_or_else(|_| Err(Failure::ended()))
    }

    pub fn emit_created(&self, caller: &Invocation, child: &Invocation, name: &str) {
        let created = EventKind::AgentCreated {
            child: child.id.clone(),
            role: child.plan.role,
            name: name.to_owned(),
        };
        self.records.emit(caller, created);
    }

    pub fn emit_sent(&self, caller: &Invocation, child: &str) {
        let child = child.to_owned();
        self.records.emit(caller, EventKind::MessageSent { child });
    }

    /// Records the result of a message that `caller` sent.
    pub fn emit_answered(
        &self,
        caller: &Invocation,
        child: &str,
        result: &Result<String, Failure>,
    ) {
        let child = child.to_owned();
        let event = match result {
            Ok(answer) => EventKind::DelegationReturn {
                child,
                answer_chars: answer.chars().count() as u64,
            },
            Err(failure) => EventKind::DelegationError {
                child,
                error: failure.reason.clone(),
            },
        };
        self.records.emit(caller, event);
    }
}
