//! The JSON action protocol: the model answers, launches an app, or asks for a list, each by one JSON object.
//!
//! Invariant: the text of a document goes to apps and never into a request of the main agent.

mod request;
mod response;

mod apps;

use std::sync::Arc;

use serde_json::json;
use tokio::sync::mpsc;

use crate::attempt::Attempt;
use crate::conversation::Conversation;
use crate::event::{EventKind, Message, WebEvent};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::outcome::Status;
use crate::web::{AppHost, PageError};

use request::{Asked, ChatRequest, Entry};
use response::{Choice, List, Understood};

/// Responses in a row that may be malformed; one more ends the attempt.
const MOST_MALFORMED: u32 = 3;

/// Runs the protocol for the root, and takes down the state by which it is judged: `state` of its host, the `actions` that it
/// chose in order, and its last `answer`.
pub(crate) async fn run(attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure> {
    let mut used = 0;
    let system = attempt.begin(root).system;
    let result = talk(attempt, root, system, &mut used).await;
    attempt.end(root, &result, used);
    result
}

/// What the root is asked first.
pub(crate) fn first_message(system: &str, query: &str) -> String {
    ChatRequest::new(system, &[], query)
        .text()
        .unwrap_or_default()
}

async fn talk(
    attempt: &Attempt<'_>,
    root: &Invocation,
    system: String,
    used: &mut u32,
) -> Result<String, Failure> {
    let (calls, inbox) = mpsc::unbounded_channel();
    let host = attempt.browser()?.open_apps(attempt.task, calls).await?;
    let mut chat = Chat {
        attempt,
        root,
        host: Arc::clone(&host),
        system,
        history: Vec::new(),
        conversation: Conversation::new(String::new()),
        chosen: Vec::new(),
        malformed: 0,
        used,
    };
    let work = async {
        let result = chat.run().await;
        if let Err(failure) = &result
            && failure.status != Status::Limit
        {
            return result;
        }
        // Its apps go on while they are checked.
        let state = host.state().await?;
        if attempt.engine.config.screenshots
            && let Ok(image) = host.screenshot().await
        {
            let event = WebEvent::Screenshot { image };
            attempt.emit(root, EventKind::Web { event });
        }
        let state = json!({
            "state": state,
            "actions": chat.chosen,
            "answer": result.as_ref().ok(),
        });
        attempt.judge_by(root, state);
        result
    };
    tokio::select! {
        result = work => result,
        never = apps::serve(attempt, root, host.as_ref(), inbox) => match never {},
    }
}

/// The main agent's side.
struct Chat<'a> {
    attempt: &'a Attempt<'a>,
    root: &'a Invocation,
    host: Arc<dyn AppHost>,
    system: String,
    /// What `answer` has put there, with what it answered.
    history: Vec<Entry>,
    conversation: Conversation,
    /// The actions in the order in which they were chosen.
    chosen: Vec<&'static str>,
    /// Malformed responses in a row.
    malformed: u32,
    used: &'a mut u32,
}

/// What the next request holds besides, for that request alone.
enum Besides {
    Nothing,
    List(List, Option<(u32, u32)>),
    Problem(String),
}

impl Chat<'_> {
    /// Goes through the user's messages; the answer to the last is the attempt's.
    async fn run(&mut self) -> Result<String, Failure> {
        let mut answer = self.respond_to(self.root.query()).await?;
        for message in self.host.follow_ups() {
            answer = self.respond_to(&message).await?;
        }
        Ok(answer)
    }

    /// Asks until an answer or an app ends the loop.
    async fn respond_to(&mut self, message: &str) -> Result<String, Failure> {
        let mut asked = Asked::default();
        let mut besides = Besides::Nothing;
        loop {
            let text = self.ask(message, &besides).await?;
            let understood = match self.understand(&text)? {
                Ok(understood) => understood,
                Err(problem) => {
                    besides = Besides::Problem(problem);
                    continue;
                }
            };
            self.chosen.push(understood.word());
            match understood {
                Choice::Answer { message: answer } => {
                    self.history.push(Entry::user(message));
                    self.history.push(Entry::assistant(&answer));
                    return Ok(answer);
                }
                Choice::LaunchApp { app } => {
                    self.host.launch(&app).await?;
                    return Ok(String::new());
                }
                Choice::List(list) => {
                    let repeated = asked.again(list).map_err(limit)?;
                    besides = Besides::List(list, repeated);
                }
            }
        }
    }

    /// One inference.
    async fn ask(&mut self, message: &str, besides: &Besides) -> Result<Answered, Failure> {
        let iterations = self.root.iterations;
        if *self.used == iterations {
            return Err(limit(format!(
                "reached max iterations ({iterations}) without an answer or an app"
            )));
        }
        *self.used += 1;
        let (attempt, iteration) = (self.attempt, *self.used);
        attempt.count(|stats| stats.iterations = iteration);
        attempt.emit(self.root, EventKind::IterationStart { iteration });
        let request = ChatRequest::new(&self.system, &self.history, message);
        let request = match besides {
            Besides::Nothing => request,
            Besides::List(List::Apps, repeated) => {
                request.with_apps(self.host.running().await?, *repeated)
            }
            Besides::List(List::Docs, repeated) => {
                request.with_documents(self.host.as_ref(), *repeated)
            }
            Besides::Problem(problem) => request.with_problem(problem),
        };
        let request = request.text().map_err(|error| Failure {
            status: Status::Error,
            reason: format!("the request cannot be written: {error}"),
        })?;
        // Each request holds all that the model is to know: nothing of earlier ones is sent with it.
        self.conversation.restart();
        self.conversation.push(Message::user(request));
        let said = attempt.ask(self.root, &mut self.conversation).await?;
        Ok(Answered {
            text: said.response.text,
            truncated: said.truncated,
        })
    }

    /// Reads a response, counts what is wrong with it, and records both. The inner error is for the model.
    fn understand(&mut self, said: &Answered) -> Result<Result<Choice, String>, Failure> {
        let read = if said.truncated {
            Err("it was cut off at the limit of output tokens; write less".to_owned())
        } else {
            response::read(&said.text)
        };
        let (action, repairs, problem) = match &read {
            Ok(Understood { choice, repairs }) => (Some(choice.word()), repairs.clone(), None),
            Err(problem) => (None, Vec::new(), Some(problem.clone())),
        };
        let faults = repairs.len() + usize::from(problem.is_some());
        self.attempt.count(|stats| {
            stats.protocol_faults += u32::try_from(faults).unwrap_or(u32::MAX);
        });
        self.attempt.emit(
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
                self.malformed = 0;
                Ok(Ok(understood.choice))
            }
            Err(problem) => {
                self.malformed += 1;
                if self.malformed > MOST_MALFORMED {
                    return Err(limit(format!(
                        "more than {MOST_MALFORMED} responses in a row were malformed; the last: {problem}"
                    )));
                }
                Ok(Err(problem))
            }
        }
    }
}

/// What a model said.
struct Answered {
    text: String,
    truncated: bool,
}

fn limit(reason: impl Into<String>) -> Failure {
    Failure {
        status: Status::Limit,
        reason: reason.into(),
    }
}

/// Where a page's problem ends an attempt, it is the world's and not the agent's.
impl From<PageError> for Failure {
    fn from(error: PageError) -> Self {
        Self {
            status: Status::Error,
            reason: error.message,
        }
    }
}
