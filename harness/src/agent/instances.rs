//! Instances (agents that accept messages) and the routing of their messages.
//!
//! Invariant: an instance processes one message at a time, and the sender of each message receives
//! an answer or an error with the reason.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use futures::channel::{mpsc, oneshot};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::Failure;
use crate::model::Message;
use crate::tool::{InstanceKind, ToolError};

/// Instances created by one agent. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Instances(Arc<Mutex<BTreeMap<String, Instance>>>);

/// Messages that an instance sends to its caller with a tool.
pub(crate) type Outbox = Arc<Mutex<Vec<String>>>;

/// Log of an agent's tool calls, for its caller.
pub(crate) type ToolLog = Arc<Mutex<Vec<LoggedCall>>>;

/// A tool call and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoggedCall {
    pub name: String,
    /// Arguments as JSON text.
    pub arguments: String,
    /// Result or error as shown to the agent.
    pub shown: Result<String, String>,
}

struct Instance {
    kind: Arc<InstanceKind>,
    name: String,
    state: State,
    inbox: Option<mpsc::UnboundedSender<QueuedMessage>>,
    log: Option<ToolLog>,
    outbox: Option<Outbox>,
}

#[derive(Clone, PartialEq, Eq)]
enum State {
    Waiting,
    AtWork,
    Closed,
    Failed(String),
}

/// Receiving end of the queue of messages to an instance.
pub(crate) type Inbox = mpsc::UnboundedReceiver<QueuedMessage>;

/// A message to an instance, with the channel for the answer.
pub(crate) struct QueuedMessage {
    pub message: Message,
    answer: oneshot::Sender<Result<String, Failure>>,
    /// Registry and id of the recipient, if the recipient is a registered instance.
    of: Option<(Instances, String)>,
}

/// Receiver of the answer to a message.
pub(crate) type ReplyReceiver = oneshot::Receiver<Result<String, Failure>>;

impl QueuedMessage {
    /// Creates a message and the receiver of its answer.
    pub fn new(message: Message) -> (Self, ReplyReceiver) {
        let (answer, answered) = oneshot::channel();
        let queued_message = Self {
            message,
            answer,
            of: None,
        };
        (queued_message, answered)
    }

    /// Sends the answer. Does nothing if the sender of the message no longer waits.
    pub fn answer(self, result: Result<String, Failure>) {
        if let Some((instances, id)) = &self.of {
            instances.answered(id, &result);
        }
        let _ = self.answer.send(result);
    }
}

impl Instances {
    /// Checks that another instance of a kind may be opened.
    ///
    /// # Errors
    /// Returns an error if the maximum number of instances is open.
    pub fn admit(&self, function: &str, kind: &InstanceKind) -> Result<(), ToolError> {
        let known = self.0.lock();
        let open = known
            .values()
            .filter(|one| one.kind.agent == kind.agent && one.is_open());
        let most = kind.max_instances.get();
        if open.count() < most as usize {
            return Ok(());
        }
        Err(ToolError(format!(
            "{function}(): {} of `{}` are open, which is as many as may be; close one first",
            most, kind.agent
        )))
    }

    /// Registers an instance and returns its inbox.
    pub fn open(
        &self,
        id: &str,
        name: &str,
        kind: &Arc<InstanceKind>,
        log: Option<ToolLog>,
        outbox: Option<Outbox>,
    ) -> Inbox {
        let (inbox, messages) = mpsc::unbounded();
        let instance = Instance {
            kind: Arc::clone(kind),
            name: name.to_owned(),
            state: State::Waiting,
            inbox: Some(inbox),
            log,
            outbox,
        };
        self.0.lock().insert(id.to_owned(), instance);
        messages
    }

    /// Returns the kind of the instance with this id.
    ///
    /// # Errors
    /// Returns an error for an unknown id.
    pub fn kind(&self, function: &str, id: &str) -> Result<Arc<InstanceKind>, ToolError> {
        let known = self.0.lock();
        let found = known.get(id).map(|one| Arc::clone(&one.kind));
        found.ok_or_else(|| unknown(function, id, &known))
    }

    /// Returns the id, agent and name of an open instance as JSON.
    ///
    /// # Errors
    /// Returns an error if the instance does not exist, is closed or has failed.
    pub fn show(&self, function: &str, id: &str) -> Result<Value, ToolError> {
        let mut known = self.0.lock();
        let one = open(function, id, &mut known)?;
        Ok(json!({ "id": id, "agent": one.kind.agent, "name": one.name }))
    }

    /// Sends a message to an instance, and discards the instance's output for earlier messages that
    /// nobody has received. Returns the receiver of the answer.
    ///
    /// # Errors
    /// Returns an error if the instance does not exist, is closed, has failed or is busy with
    /// another message.
    pub fn send(
        &self,
        function: &str,
        id: &str,
        message: Message,
    ) -> Result<ReplyReceiver, ToolError> {
        let mut known = self.0.lock();
        let one = open(function, id, &mut known)?;
        if one.state == State::AtWork {
            return Err(ToolError(format!(
                "{function}(): {id} is at your last message still; await its answer before the next one"
            )));
        }
        one.drain_output();
        let (mut queued_message, answered) = QueuedMessage::new(message);
        queued_message.of = Some((self.clone(), id.to_owned()));
        let inbox = one.inbox.as_ref();
        if inbox.is_none_or(|inbox| inbox.unbounded_send(queued_message).is_err()) {
            return Err(ToolError(format!("{function}(): {id} has ended")));
        }
        one.state = State::AtWork;
        Ok(answered)
    }

    /// Records the result of a message. A failure ends the instance.
    pub fn answered(&self, id: &str, result: &Result<String, Failure>) {
        let mut known = self.0.lock();
        let Some(one) = known.get_mut(id) else {
            return;
        };
        match result {
            Ok(_) if one.state == State::AtWork => one.state = State::Waiting,
            Ok(_) => {}
            Err(failure) => {
                one.state = State::Failed(failure.reason.clone());
                one.inbox = None;
            }
        }
    }

    /// Removes and returns the tool calls that an instance made for its last message, and the
    /// messages that it sent to its caller.
    pub fn drain_output(&self, id: &str) -> (Vec<LoggedCall>, Option<Vec<String>>) {
        let known = self.0.lock();
        known
            .get(id)
            .map(Instance::drain_output)
            .unwrap_or_default()
    }

    /// Closes an instance: it accepts no further messages and ends after answering the current one.
    ///
    /// # Errors
    /// Returns an error if the instance does not exist, is closed or has failed.
    pub fn close(&self, function: &str, id: &str) -> Result<(), ToolError> {
        let mut known = self.0.lock();
        let one = open(function, id, &mut known)?;
        one.inbox = None;
        one.state = State::Closed;
        Ok(())
    }

    /// Closes all instances. Returns the ids of the instances that are busy with a message.
    pub fn close_all(&self) -> Vec<String> {
        let mut known = self.0.lock();
        let mut at_work = Vec::new();
        for (id, one) in known.iter_mut() {
            if one.state == State::AtWork {
                at_work.push(id.clone());
            }
            if one.is_open() {
                one.state = State::Closed;
            }
            one.inbox = None;
        }
        at_work
    }
}

impl Instance {
    const fn is_open(&self) -> bool {
        matches!(self.state, State::Waiting | State::AtWork)
    }

    fn drain_output(&self) -> (Vec<LoggedCall>, Option<Vec<String>>) {
        let calls = self.log.as_ref().map(|log| mem::take(&mut *log.lock()));
        let outbox = self.outbox.as_ref();
        let said = outbox.map(|outbox| mem::take(&mut *outbox.lock()));
        (calls.unwrap_or_default(), said)
    }

    fn check(&self, function: &str, id: &str) -> Result<(), ToolError> {
        match &self.state {
            State::Waiting | State::AtWork => Ok(()),
            State::Closed => Err(ToolError(format!("{function}(): {id} is closed"))),
            State::Failed(reason) => Err(ToolError(format!(
                "{function}(): {id} has ended, because its last message failed: {reason}"
            ))),
        }
    }
}

/// Returns an instance that is neither closed nor failed.
fn open<'k>(
    function: &str,
    id: &str,
    known: &'k mut BTreeMap<String, Instance>,
) -> Result<&'k mut Instance, ToolError> {
    if !known.contains_key(id) {
        return Err(unknown(function, id, known));
    }
    let one = known.get_mut(id);
    let one = one.ok_or_else(|| ToolError(format!("{function}(): {id} has ended")))?;
    one.check(function, id)?;
    Ok(one)
}

fn unknown(function: &str, id: &str, known: &BTreeMap<String, Instance>) -> ToolError {
    let open: Vec<&str> = known
        .iter()
        .filter(|(_, one)| one.is_open())
        .map(|(id, _)| id.as_str())
        .collect();
    let yours = if open.is_empty() {
        "you have none open".to_owned()
    } else {
        format!("yours are {}", open.join(", "))
    };
    ToolError(format!(
        "{function}(): there is no agent {id:?} that takes your messages; {yours}"
    ))
}
