//! The direct protocol, and every other agent that answers in one call: the whole response is the answer.

use std::sync::Arc;

use async_trait::async_trait;

use crate::agent::{
    Attempt, Conversation, Failure, Inbox, Invocation, ModelReply, Overflow, ProtocolSettings,
    Step, Turn, Turns, answer_messages, run_turns,
};
use crate::model::{Message, Role, Status};
use crate::prompt::flat_message;
use crate::protocol::RootAgent;

/// The root: one call, in which a context that does not fit may be cut.
pub(super) struct Direct;

#[async_trait]
impl RootAgent for Direct {
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
        OneCall::of_root(attempt, root).run(attempt, root).await
    }
}

/// An agent that answers in one call.
pub(crate) struct OneCall {
    /// What it is shown, oldest first.
    shown: Vec<Message>,
    /// The question and the context in the last of these messages, where the context may be cut to fit.
    may_cut: Option<(String, Arc<String>)>,
}

impl OneCall {
    /// An agent that is shown these messages.
    pub const fn of_messages(shown: Vec<Message>) -> Self {
        Self {
            shown,
            may_cut: None,
        }
    }

    /// An agent that is shown a question with the whole of a context.
    pub fn of_context(query: &str, context: &str) -> Self {
        Self::of_messages(vec![Message::user(flat_message(query, context))])
    }

    /// A root that answers in one call, with the task's images. In the direct protocol, a context that does not fit may
    /// be cut, unless the run says otherwise.
    pub fn of_root(attempt: &Attempt<'_>, root: &Invocation) -> Self {
        let context = &attempt.task.context;
        let query = root.asked().into_owned();
        let first = Message::user(flat_message(&query, context));
        let may_cut = attempt.run.treatment.settings.overflow == Overflow::Truncate;
        let cuts = root.role != Role::Flat && may_cut;
        Self {
            shown: vec![attempt.with_images(root, first)],
            may_cut: cuts.then(|| (query, Arc::clone(context))),
        }
    }

    /// Answers messages until there are no more, each in one call.
    pub async fn answer_messages(
        mut self,
        attempt: &Attempt<'_>,
        invocation: &Invocation,
        inbox: Inbox,
    ) {
        answer_messages(attempt, invocation, &mut self, inbox).await;
    }

    /// Asks and answers.
    pub async fn run(
        mut self,
        attempt: &Attempt<'_>,
        invocation: &Invocation,
    ) -> Result<String, Failure> {
        run_turns(attempt, invocation, &mut self).await
    }
}

impl Turns for OneCall {
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
    ) -> Result<Step, Failure> {
        if reply.truncated {
            return Err(Failure::new(
                Status::Limit,
                "the response was cut off at the limit of output tokens".to_owned(),
            ));
        }
        Ok(Step::Answer(reply.response.text))
    }

    fn iterates(&self) -> bool {
        false
    }
}
