//! The agents of one agent that take messages: which there are, and where their messages go.
//!
//! Invariant: an instance works on one message at a time, and each message gets an answer or an error that says why not.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::channel::{mpsc, oneshot};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{Failure, LoggedCall, ToolLog};
use crate::model::Message;
use crate::tool::{InstanceKind, ToolError};

/// The instances that one agent created. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Instances(Arc<Mutex<BTreeMap<String, Instance>>>);

/// What an agent says to its caller where its answers do not do so.
pub(crate) type Outbox = Arc<Mutex<Vec<String>>>;

struct Instance {
    kind: Arc<InstanceKind>,
    name: String,
    state: State,
    inbox: Option<mpsc::UnboundedSender<Letter>>,
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

/// Where an instance's messages come from.
pub(crate) type Inbox = mpsc::UnboundedReceiver<Letter>;

/// A message to an instance, and where its answer goes.
pub(crate) struct Letter {
    pub message: Message,
    answer: oneshot::Sender<Result<String, Failure>>,
    /// The instance, where it is one of these.
    of: Option<(Instances, String)>,
}

/// What a message comes to.
pub(crate) type Answered = oneshot::Receiver<Result<String, Failure>>;

impl Letter {
    /// A message, and what it will come to.
    pub fn new(message: Message) -> (Self, Answered) {
        let (answer, answered) = oneshot::channel();
        let letter = Self {
            message,
            answer,
            of: None,
        };
        (letter, answered)
    }

    /// Answers it. Whoever sent it may be gone.
    pub fn answer(self, result: Result<String, Failure>) {
        if let Some((instances, id)) = &self.of {
            instances.answered(id, &result);
        }
        let _ = self.answer.send(result);
    }
}

/// Where an instance came from, and how it is recorded.
pub(crate) struct Opened<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub kind: &'a Arc<InstanceKind>,
    pub log: Option<ToolLog>,
    pub outbox: Option<Outbox>,
}

impl Instances {
    /// Fails where no more of a kind may be open.
    ///
    /// # Errors
    /// How many are.
    pub fn admit(&self, kind: &InstanceKind) -> Result<(), ToolError> {
        let known = self.0.lock();
        let open = known
            .values()
            .filter(|one| one.kind.agent == kind.agent && one.is_open());
        let most = kind.max_instances.get();
        if open.count() < most as usize {
            return Ok(());
        }
        Err(ToolError(format!(
            "agents.create(): {} of `{}` are open, which is as many as may be; close one first",
            most, kind.agent
        )))
    }

    /// Takes in an instance, and gives its inbox.
    pub fn open(&self, opened: Opened<'_>) -> Inbox {
        let (inbox, messages) = mpsc::unbounded();
        let instance = Instance {
            kind: Arc::clone(opened.kind),
            name: opened.name.to_owned(),
            state: State::Waiting,
            inbox: Some(inbox),
            log: opened.log,
            outbox: opened.outbox,
        };
        self.0.lock().insert(opened.id.to_owned(), instance);
        messages
    }

    /// What an instance is, by its id.
    ///
    /// # Errors
    /// There is none.
    pub fn kind(&self, function: &str, id: &str) -> Result<Arc<InstanceKind>, ToolError> {
        let known = self.0.lock();
        let found = known.get(id).map(|one| Arc::clone(&one.kind));
        found.ok_or_else(|| unknown(function, id, &known))
    }

    /// An open instance as its caller sees it.
    ///
    /// # Errors
    /// There is none, or it is closed.
    pub fn show(&self, function: &str, id: &str) -> Result<Value, ToolError> {
        let mut known = self.0.lock();
        let one = open(function, id, &mut known)?;
        Ok(json!({ "id": id, "agent": one.kind.agent, "name": one.name }))
    }

    /// Sends a message.
    ///
    /// # Errors
    /// There is no such instance, it is closed, or it is at another message.
    pub fn send(&self, function: &str, id: &str, message: Message) -> Result<Answered, ToolError> {
        let mut known = self.0.lock();
        let one = open(function, id, &mut known)?;
        if one.state == State::AtWork {
            return Err(ToolError(format!(
                "{function}(): {id} is at your last message still; await its answer before the next one"
            )));
        }
        let (mut letter, answered) = Letter::new(message);
        letter.of = Some((self.clone(), id.to_owned()));
        let inbox = one.inbox.as_ref();
        if inbox.is_none_or(|inbox| inbox.unbounded_send(letter).is_err()) {
            return Err(ToolError(format!("{function}(): {id} has ended")));
        }
        one.state = State::AtWork;
        Ok(answered)
    }

    /// Takes down what a message came to: a failure ends the instance.
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

    /// The calls of tools that an instance made for its last message, and what it said to its caller besides.
    pub fn take_said(&self, id: &str) -> (Vec<LoggedCall>, Option<Vec<String>>) {
        let known = self.0.lock();
        let Some(one) = known.get(id) else {
            return (Vec::new(), None);
        };
        let calls = one.log.as_ref().map_or_else(Vec::new, ToolLog::take);
        let said = one
            .outbox
            .as_ref()
            .map(|outbox| std::mem::take(&mut *outbox.lock()));
        (calls, said)
    }

    /// Closes an instance: it takes no more messages, and ends once it has answered the one that it is at.
    ///
    /// # Errors
    /// There is none, or it is closed.
    pub fn close(&self, function: &str, id: &str) -> Result<(), ToolError> {
        let mut known = self.0.lock();
        let one = open(function, id, &mut known)?;
        one.inbox = None;
        one.state = State::Closed;
        Ok(())
    }

    /// Closes all of them. Gives the ids of those that are at a message.
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

/// An instance that is neither closed nor failed.
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
