//! The agent-turn protocol: each turn is one call of `agent_turn` with actions on a web page.
//!
//! A request consists of the system prompt, the history, and the current page as the last message.
//! The history contains the user's messages and, for each turn, the call and its results, but never
//! a dump. A turn without actions answers the user: with the last narrated text, or else with the
//! memory of the turn.

mod settings;

mod envelope;
mod execute_actions;

mod catalog;
mod executor;
mod confirmation;

mod shorten_prompt;
mod log;
mod read_page;
mod texts;

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use crate::agent::{
    AgentBehavior, AgentPlan, Attempt, Conversation, Failure, Invocation, ModelReply, NextStep,
    Treatment, Turn, run_turns,
};
use crate::model::web::Page;
use crate::model::{EventKind, Image, Message, Status, ToolChoice, ToolResult, ToolUse, WebEvent};
use crate::prompt::sections::{WEB_CALL_NOT_RUN, WEB_MALFORMED};
use crate::prompt::{Assembled, PromptOverrides, Replacement, flat_message};
use crate::protocol::ProtocolBehavior;
use crate::protocol::malformed::Malformed;
use crate::tool::ToolSet;

pub use crate::model::web::ActionStatus;
pub use crate::prompt::{AgentTurnSettings, ConfirmPolicy, CustomAction, DomHeader};
pub use catalog::AgentTurnError;

use catalog::Catalog;
use executor::Executor;
use log::TurnLog;
use texts::system_prompt;

/// Web agent with its settings and actions.
pub(crate) struct WebAgent {
    pub settings: AgentTurnSettings,
    catalog: Arc<Catalog>,
    /// The run's replacement of the prompt; it takes precedence over the settings.
    replacement: Option<Replacement>,
}

impl WebAgent {
    /// Creates an agent from settings and the prompt overrides of a run, which take precedence.
    /// Overrides of unknown actions are ignored, because they may be for other protocols.
    ///
    /// # Errors
    /// Returns an [`AgentTurnError`] that names the invalid field.
    pub fn new(
        settings: &AgentTurnSettings,
        overrides: &PromptOverrides,
    ) -> Result<Self, AgentTurnError> {
        let known = Catalog::new(settings)?;
        let mut settings = settings.clone();
        settings.apply_overrides(overrides);
        settings
            .action_overrides
            .retain(|name, _| known.get(name).is_some());
        Ok(Self {
            catalog: Arc::new(Catalog::new(&settings)?),
            settings,
            replacement: overrides.replacement.clone(),
        })
    }

    /// Returns the system prompt, which is the same in every turn.
    ///
    /// # Errors
    /// Returns the error of `systemPromptFunction`.
    pub fn system(&self) -> Result<Assembled, AgentTurnError> {
        let settings = &self.settings;
        let tools = self.catalog.reference();
        let function = settings.system_prompt_function.as_ref();
        let Some(function) = function.filter(|_| self.replacement.is_none()) else {
            return Ok(system_prompt(settings, &tools, self.replacement.as_ref()));
        };
        let default = AgentTurnSettings {
            append_system_prompt: None,
            ..settings.clone()
        };
        let default = system_prompt(&default, &tools, None).text();
        let own = settings.prompt_by_function(function, &default, &self.catalog.names())?;
        let settings = AgentTurnSettings {
            system_prompt: Some(own),
            ..settings.clone()
        };
        Ok(system_prompt(&settings, &tools, None))
    }

    /// Creates the agent with the settings and prompt overrides of a run.
    fn of(treatment: &Treatment) -> Result<Self, AgentTurnError> {
        Self::new(&treatment.web, &treatment.overrides)
    }
}

/// Agent-turn protocol. Its root is a web agent with the settings of the run.
pub(super) struct AgentTurn;

#[async_trait]
impl ProtocolBehavior for AgentTurn {
    fn check(&self, treatment: &Treatment) -> Result<(), AgentTurnError> {
        WebAgent::of(treatment)?.system().map(drop)
    }

    fn root(&self, treatment: &Treatment) -> AgentPlan {
        let agent = WebAgent::of(treatment).ok();
        AgentPlan {
            // `check` has already reported errors.
            own_prompt: agent.and_then(|agent| Some(agent.system().ok()?.text())),
            ..AgentPlan::root(treatment)
        }
    }

    /// Returns only the tool `agent_turn`, whatever the actions are.
    fn offers(&self, _treatment: &Treatment, _tools: &ToolSet) -> ToolUse {
        catalog::tool_use()
    }

    fn required_call(&self, _treatment: &Treatment) -> ToolChoice {
        catalog::tool_use().choice
    }

    /// Adds the query. The page is added to each request by `prepare`.
    fn open(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation) {
        conversation.tools = catalog::tool_use();
        let query = flat_message(root.query(), &attempt.task.context);
        conversation.push(Message::user(query));
    }

    /// Runs the web agent, and records the final state of the page for scoring.
    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure> {
        let agent = WebAgent::of(&attempt.run.treatment)
            .map_err(|error| Failure::new(Status::Error, error.to_string()))?;
        let opening = attempt.browser()?.open(attempt.task);
        let page = attempt.meter.during(opening).await?;
        let executor = Executor {
            page: Arc::clone(&page),
            catalog: Arc::clone(&agent.catalog),
            confirm: agent.settings.confirm.clone(),
        };
        let mut turns = WebTurns {
            attempt,
            root,
            agent: &agent,
            page,
            executor,
            log: TurnLog::default(),
            follow_ups: attempt.task.follow_ups.clone().into(),
            follow_up_places: Vec::new(),
            attached: attempt.task.images.clone(),
            narrated: None,
            malformed: Malformed::default(),
        };
        run_turns(attempt, root, &mut turns).await
    }
}

/// State of a running web agent.
struct WebTurns<'a> {
    attempt: &'a Attempt<'a>,
    root: &'a Invocation,
    agent: &'a WebAgent,
    page: Arc<dyn Page>,
    executor: Executor,
    log: TurnLog,
    /// Further messages of the user, in order.
    follow_ups: VecDeque<String>,
    /// Places of the further messages in the conversation.
    follow_up_places: Vec<usize>,
    /// Images attached by the user; only the next request contains them.
    attached: Vec<Image>,
    /// Last narrated text.
    narrated: Option<String>,
    malformed: Malformed,
}

impl AgentBehavior for WebTurns<'_> {
    fn open(&mut self, conversation: &mut Conversation) {
        AgentTurn.open(self.attempt, self.root, conversation);
    }

    /// Adds the current page as the last message of the next request, not of later ones.
    async fn prepare(&mut self, conversation: &mut Conversation) -> Result<(), Failure> {
        let settings = &self.agent.settings;
        let mut block =
            read_page::look(self.attempt, self.root, self.page.as_ref(), settings).await?;
        block.images.splice(..0, self.attached.drain(..));
        conversation.tail = Some(block);
        if let Some(most) = settings.max_prompt_tokens {
            let places = &mut self.follow_up_places;
            shorten_prompt::fit(self.attempt, self.root, conversation, places, most)?;
        }
        Ok(())
    }

    /// Runs the actions of a reply. A reply without actions answers the user.
    async fn respond(
        &mut self,
        reply: ModelReply,
        turn: Turn,
        conversation: &mut Conversation,
    ) -> Result<NextStep, Failure> {
        let read = if reply.truncated {
            Err("the response was cut off at the limit of output tokens; write less".to_owned())
        } else {
            envelope::read(&reply.response)
        };
        let iteration = turn.iteration;
        let understood = match read {
            Ok(understood) => understood,
            Err(problem) => {
                self.on_malformed(iteration, &problem)?;
                conversation.push(answer_to(&reply, WEB_MALFORMED.render([&problem]), true));
                return Ok(NextStep::Continue);
            }
        };
        self.malformed.end();
        let repairs = u32::try_from(understood.repairs.len()).unwrap_or(u32::MAX);
        let envelope = understood.envelope;
        self.emit(WebEvent::Envelope {
            envelope: Some(envelope.clone()),
            repairs: understood.repairs,
            problem: None,
        });
        let executing = execute_actions::execute_steps(&envelope.actions, &self.executor);
        let (walked, end) = self.attempt.meter.during(executing).await;
        self.attempt
            .records
            .count(|stats| stats.protocol_faults += repairs + walked.faults);
        self.emit(WebEvent::ActionResults {
            results: walked.results.clone(),
        });
        self.log.add(iteration, &envelope, &walked.results);
        end?;
        if walked.narrated.is_some() {
            self.narrated = walked.narrated;
        }
        let results = json!({
            "memory": envelope.memory,
            "todos_remaining": envelope.todos_remaining,
            "action_results": walked.results,
        });
        conversation.push(answer_to(&reply, results.to_string(), false));
        if !envelope.actions.is_empty() {
            return Ok(NextStep::Continue);
        }
        let answer = self.narrated.take().unwrap_or(envelope.memory);
        conversation.push(Message::assistant(&answer));
        let Some(next) = self.follow_ups.pop_front() else {
            return Ok(NextStep::Answer(answer));
        };
        let answered = self.page.answered(&answer);
        self.attempt.meter.during(answered).await?;
        self.attempt.records.answered(&answer);
        let place = conversation.messages().len();
        self.follow_up_places.push(place);
        conversation.push(Message::user(next));
        Ok(NextStep::Continue)
    }

    async fn close(
        &mut self,
        conversation: &Conversation,
        result: Result<String, Failure>,
    ) -> Result<String, Failure> {
        self.log.record(self.attempt, self.root, conversation);
        if Failure::has_final_state(&result) {
            let _working = self.attempt.meter.begin();
            let state = self.page.state(result.as_deref().ok()).await?;
            if let Some(state) = state {
                self.attempt.records.record_final_state(self.root, state);
            }
        }
        result
    }

    fn expected(&self) -> &'static str {
        "ending its work"
    }
}

impl WebTurns<'_> {
    fn on_malformed(&mut self, iteration: u32, problem: &str) -> Result<(), Failure> {
        self.attempt.records.count_fault();
        self.emit(WebEvent::Envelope {
            envelope: None,
            repairs: Vec::new(),
            problem: Some(problem.to_owned()),
        });
        self.log.add_malformed(iteration, problem);
        self.malformed.add("had no usable envelope", problem)
    }

    fn emit(&self, event: WebEvent) {
        self.attempt
            .records
            .emit(self.root, EventKind::Web { event });
    }
}

/// Returns the message after a reply, with `content` as the result of the first call, or as text if
/// there was no call.
fn answer_to(reply: &ModelReply, content: String, is_error: bool) -> Message {
    let calls = &reply.response.tool_calls;
    if calls.is_empty() {
        return Message::user(content);
    }
    let mut content = Some(content);
    let results = calls.iter().map(|call| {
        let first = content.take();
        ToolResult {
            call: call.id.clone(),
            is_error: is_error || first.is_none(),
            content: first.unwrap_or_else(|| WEB_CALL_NOT_RUN.render([])),
        }
    });
    Message {
        tool_results: results.collect(),
        ..Message::user("")
    }
}
