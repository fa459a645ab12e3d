//! The JSON action protocol: the model answers, launches an app, or requests a list in each turn.
//!
//! Invariant: the content of documents is sent only to apps, never to the main agent.

mod request;
mod response;

mod apps;

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;
use tokio::sync::mpsc;

use crate::agent::{
    AgentBehavior, Attempt, Conversation, Failure, Invocation, ModelReply, NextStep, Turn,
    run_turns,
};
use crate::model::web::AppHost;
use crate::model::{EventKind, Message, Status, WebEvent};
use crate::protocol::ProtocolBehavior;
use crate::protocol::malformed::Malformed;

use request::{ChatEntry, ChatRequest, ListRequestCounts, RequestedList};
use response::{Choice, ParsedResponse};

/// JSON action protocol. Its root chats with the user while launched apps keep running.
pub(super) struct JsonAction;

#[async_trait]
impl ProtocolBehavior for JsonAction {
    fn open(&self, _attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation) {
        // The request's message contains the system prompt.
        let system = std::mem::take(&mut conversation.system);
        let request = ChatRequest::new(&system, &[], root.query());
        conversation.push(Message::user(request.text().unwrap_or_default()));
    }

    /// Runs the chat, and records the state for scoring: the `state` of the host, the chosen
    /// `actions` in order, and the last `answer`.
    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure> {
        let (calls, inbox) = mpsc::unbounded_channel();
        let host = attempt.browser()?.open_apps(attempt.task, calls).await?;
        let mut chat = Chat {
            attempt,
            root,
            host: Arc::clone(&host),
            system: String::new(),
            message: root.query().to_owned(),
            follow_ups: attempt.task.follow_ups.clone().into(),
            asked: ListRequestCounts::default(),
            listed: Vec::new(),
            problem: None,
            history: Vec::new(),
            chosen: Vec::new(),
            malformed: Malformed::default(),
        };
        tokio::select! {
            result = run_turns(attempt, root, &mut chat) => result,
            never = apps::serve(attempt, root, host.as_ref(), inbox) => match never {},
        }
    }
}

/// State of the main agent.
struct Chat<'a> {
    attempt: &'a Attempt<'a>,
    root: &'a Invocation,
    host: Arc<dyn AppHost>,
    system: String,
    /// Newest message of the user.
    message: String,
    /// Further messages of the user, in order.
    follow_ups: VecDeque<String>,
    /// Number of requests for each list since that message.
    asked: ListRequestCounts,
    /// Requested lists, which all requests until the user's next message contain.
    listed: Vec<RequestedList>,
    /// Problem with the last response.
    problem: Option<String>,
    /// Previous messages of the user, with their answers.
    history: Vec<ChatEntry>,
    /// Chosen actions, in order.
    chosen: Vec<&'static str>,
    malformed: Malformed,
}

impl AgentBehavior for Chat<'_> {
    fn open(&mut self, conversation: &mut Conversation) {
        // Each request contains the system prompt in its message.
        self.system = std::mem::take(&mut conversation.system);
    }

    /// Builds the request as a single message. Earlier messages are not sent, because this one
    /// contains all that the model needs.
    async fn prepare(&mut self, conversation: &mut Conversation) -> Result<(), Failure> {
        let request = ChatRequest::new(&self.system, &self.history, &self.message);
        let request = self.listed.iter().fold(request, ChatRequest::with_list);
        let request = match self.problem.take() {
            None => request,
            Some(problem) => request.with_problem(&problem),
        };
        let request = request.text().map_err(|error| {
            Failure::new(
                Status::Error,
                format!("cannot serialize the request: {error}"),
            )
        })?;
        conversation.restart();
        conversation.push(Message::user(request));
        Ok(())
    }

    async fn respond(
        &mut self,
        reply: ModelReply,
        _turn: Turn,
        _conversation: &mut Conversation,
    ) -> Result<NextStep, Failure> {
        let choice = match self.understand(&reply)? {
            Ok(choice) => choice,
            Err(problem) => {
                self.problem = Some(problem);
                return Ok(NextStep::Continue);
            }
        };
        self.chosen.push(choice.word());
        match choice {
            Choice::Answer { message: answer } => {
                self.history.push(ChatEntry::user(&self.message));
                self.history.push(ChatEntry::assistant(&answer));
                self.next_message(answer).await
            }
            Choice::LaunchApp { app } => {
                self.attempt.meter.during(self.host.launch(&app)).await?;
                self.next_message(String::new()).await
            }
            Choice::List(list) => {
                let repeated = self.asked.count_request(list).map_err(limit)?;
                let newest = RequestedList::new(list, repeated, self.host.as_ref()).await?;
                self.listed.retain(|earlier| earlier.list() != list);
                self.listed.push(newest);
                Ok(NextStep::Continue)
            }
        }
    }

    /// Records the state for scoring while the apps are still running.
    async fn close(
        &mut self,
        _conversation: &Conversation,
        result: Result<String, Failure>,
    ) -> Result<String, Failure> {
        if !Failure::has_final_state(&result) {
            return result;
        }
        let _working = self.attempt.meter.begin();
        let state = self.host.state(result.as_deref().ok()).await?;
        if self.attempt.run.conduct.screenshots
            && let Ok(image) = self.host.screenshot().await
        {
            let event = WebEvent::Screenshot { image };
            self.attempt
                .records
                .emit(self.root, EventKind::Web { event });
        }
        if let Some(state) = state {
            let state = json!({
                "state": state,
                "actions": self.chosen,
                "answer": result.as_ref().ok(),
            });
            self.attempt.records.record_final_state(self.root, state);
        }
        result
    }

    fn expected(&self) -> &'static str {
        "an answer or an app"
    }
}

impl Chat<'_> {
    /// Continues with the user's next message. If there is none, ends with this answer.
    async fn next_message(&mut self, answer: String) -> Result<NextStep, Failure> {
        let Some(next) = self.follow_ups.pop_front() else {
            return Ok(NextStep::Answer(answer));
        };
        let answered = self.host.answered(&answer);
        self.attempt.meter.during(answered).await?;
        self.attempt.records.answered(&answer);
        self.message = next;
        self.asked = ListRequestCounts::default();
        self.listed.clear();
        Ok(NextStep::Continue)
    }

    /// Parses a response, and counts and records its faults. The inner error is a message for the
    /// model.
    fn understand(&mut self, reply: &ModelReply) -> Result<Result<Choice, String>, Failure> {
        let read = if reply.truncated {
            Err("it was cut off at the limit of output tokens; write less".to_owned())
        } else {
            response::read(&reply.response.text)
        };
        let (action, repairs, problem) = match &read {
            Ok(ParsedResponse { choice, repairs }) => (Some(choice.word()), repairs.clone(), None),
            Err(problem) => (None, Vec::new(), Some(problem.clone())),
        };
        let faults = repairs.len() + usize::from(problem.is_some());
        self.attempt.records.count(|stats| {
            stats.protocol_faults += u32::try_from(faults).unwrap_or(u32::MAX);
        });
        self.attempt.records.emit(
            self.root,
            EventKind::Web {
                event: WebEvent::JsonAction {
                    action: action.map(str::to_owned),
                    repairs,
                    problem,
                },
            },
        );
        match read {
            Ok(understood) => {
                self.malformed.end();
                Ok(Ok(understood.choice))
            }
            Err(problem) => {
                self.malformed.add("were malformed", &problem)?;
                Ok(Err(problem))
            }
        }
    }
}

fn limit(reason: impl Into<String>) -> Failure {
    Failure::new(Status::Limit, reason.into())
}
