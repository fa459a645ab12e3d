//! The direct protocol and all other single-call agents: the whole response is the answer.

use std::sync::Arc;

use async_trait::async_trait;

use crate::agent::{
    AgentBehavior, Attempt, Conversation, Failure, Invocation, ModelReply, NextStep, Turn,
    run_turns,
};
use crate::model::{Message, Role};
use crate::prompt::flat_message;
use crate::protocol::ProtocolBehavior;
use crate::settings::{Overflow, ProtocolSettings};

/// Direct protocol. Its root makes one call. A context that is too long may be truncated.
pub(super) struct Direct;

#[async_trait]
impl ProtocolBehavior for Direct {
    fn settings(&self, of_run: &ProtocolSettings) -> ProtocolSettings {
        ProtocolSettings {
            overflow: of_run.overflow,
            ..ProtocolSettings::default()
        }
    }

    fn open(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation) {
        OneCall::of_root(attempt, root).open(conversation);
    }

    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure> {
        run_turns(attempt, root, &mut OneCall::of_root(attempt, root)).await
    }
}

/// Agent that answers in a single call.
pub(crate) struct OneCall {
    /// Initial messages, oldest first.
    shown: Vec<Message>,
    /// Question and context of the last message, if the context may be truncated.
    may_cut: Option<(String, Arc<String>)>,
}

impl OneCall {
    /// Creates an agent with these initial messages.
    pub const fn of_messages(shown: Vec<Message>) -> Self {
        Self {
            shown,
            may_cut: None,
        }
    }

    /// Creates the root, whose message contains the query, the context and the task's images. In
    /// the direct protocol, a context that is too long is truncated if the run's settings allow it.
    pub fn of_root(attempt: &Attempt<'_>, root: &Invocation) -> Self {
        let context = &attempt.task.context;
        let query = root.asked().into_owned();
        let first = Message::user(flat_message(&query, context));
        let may_cut = attempt.run.treatment.protocols.overflow == Overflow::Truncate;
        let cuts = root.plan.role != Role::Flat && may_cut;
        Self {
            shown: vec![attempt.with_images(root, first)],
            may_cut: cuts.then(|| (query, Arc::clone(context))),
        }
    }
}

impl AgentBehavior for OneCall {
    fn open(&mut self, conversation: &mut Conversation) {
        for message in self.shown.drain(..) {
            conversation.push(message);
        }
        if let Some((query, context)) = &self.may_cut {
            conversation.may_cut(query, context);
        }
    }

    async fn respond(
        &mut self,
        reply: ModelReply,
        _turn: Turn,
        _conversation: &mut Conversation,
    ) -> Result<NextStep, Failure> {
        if reply.truncated {
            return Err(Failure::cut_off());
        }
        Ok(NextStep::Answer(reply.response.text))
    }

    fn iterates(&self) -> bool {
        false
    }
}
