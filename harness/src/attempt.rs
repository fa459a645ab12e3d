//! One attempt: what all agents of its tree share.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use sandbox::LostCause;
use sandbox::message::Context;
use tokio::time::timeout;

use crate::agent::ReplAgent;
use crate::engine::{Engine, Task};
use crate::event::{EVENT_VERSION, Event, EventKind, EventSink, Message, Role, ms};
use crate::invocation::{Invocation, ROOT};
use crate::meter::Meter;
use crate::outcome::{AttemptOutcome, Stats, Status};
use crate::prompt::{
    AgentKind, AgentPrompt, ContextKind, PromptConfig, flat_message, iterations_for_depth,
    system_prompt,
};
use crate::protocol::Protocol;
use crate::provider::{Caller, IgnoreCalls, ProviderError, Request, Response};

/// The shared part of an attempt.
pub(crate) struct Attempt<'a> {
    pub engine: &'a Engine,
    task: &'a Task,
    sink: Arc<dyn EventSink>,
    started: Instant,
    pub meter: Meter,
    stats: Mutex<Stats>,
}

/// Why an agent gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub status: Status,
    pub reason: String,
}

/// A conversation with a model: what is sent, and how much of it the records hold already.
pub(crate) struct Conversation {
    system: String,
    messages: Vec<Message>,
    recorded: usize,
    turn: u32,
}

impl<'a> Attempt<'a> {
    pub fn new(engine: &'a Engine, task: &'a Task, sink: Arc<dyn EventSink>) -> Self {
        Self {
            engine,
            task,
            sink,
            started: Instant::now(),
            meter: Meter::default(),
            stats: Mutex::default(),
        }
    }

    /// Runs the root, and with it the whole tree.
    pub async fn run(self) -> AttemptOutcome {
        let root = self.root();
        self.emit(
            &root,
            EventKind::AttemptStart {
                query: Some(self.task.query.clone()),
                context_chars: Some(self.task.context.chars().count() as u64),
            },
        );
        let limit = self.engine.config.attempt_time;
        let work = async {
            match root.role {
                Role::Root => self.run_root(&root).await,
                _ => self.answer_once(&root, &self.task.context).await,
            }
        };
        let result = timeout(limit, work).await.unwrap_or_else(|_| {
            Err(Failure {
                status: Status::Limit,
                reason: format!("the attempt took more than {} s", limit.as_secs_f64()),
            })
        });
        let (status, answer, error) = match result {
            Ok(answer) => (Status::Ok, Some(answer), None),
            Err(failure) => (failure.status, None, Some(failure.reason)),
        };
        let mut used = self.count(|stats| stats.clone());
        used.total = self.started.elapsed();
        used.busy = self.meter.covered();
        self.emit(
            &root,
            EventKind::AttemptEnd {
                status,
                answer: answer.clone(),
                error: error.clone(),
            },
        );
        AttemptOutcome {
            status,
            answer,
            error,
            stats: used,
        }
    }

    fn root(&self) -> Invocation {
        let config = &self.engine.config;
        let role = match config.protocol {
            Protocol::Direct => Role::Direct,
            Protocol::Rlm if config.max_depth == 0 => Role::Flat,
            Protocol::Rlm => Role::Root,
        };
        Invocation {
            id: ROOT.to_owned(),
            parent: None,
            depth: 0,
            role,
            lineage: vec![self.task.query.clone()],
            model: self.engine.models.main.clone(),
            system_prompt: None,
            iterations: if role == Role::Root {
                config.max_iterations
            } else {
                1
            },
        }
    }

    async fn run_root(&self, root: &Invocation) -> Result<String, Failure> {
        let starting = self.meter.begin();
        let session = self
            .engine
            .sandbox
            .session()
            .await
            .map_err(|error| Failure {
                status: Status::Error,
                reason: format!("the sandbox did not start: {error}"),
            })?;
        drop(starting);
        let context = Context::Text(Arc::clone(&self.task.context));
        let repl = session.open(None, context, self.info(root));
        let length = self.task.context.encode_utf16().count() as u64;
        let kind = if length == 0 {
            ContextKind::None
        } else {
            ContextKind::Text(length)
        };
        ReplAgent::new(self, root.clone(), &session, repl)
            .run(&kind)
            .await
    }

    /// An agent that answers in one call: flat, one-shot or direct.
    pub async fn answer_once(
        &self,
        invocation: &Invocation,
        context: &str,
    ) -> Result<String, Failure> {
        let mut conversation = self.begin(invocation);
        conversation.push(Message::user(flat_message(invocation.query(), context)));
        let result = self
            .ask(invocation, &mut conversation)
            .await
            .map(|response| response.text);
        self.end(invocation, &result, 1);
        result
    }

    /// Opens an invocation's records and its conversation.
    pub fn begin(&self, invocation: &Invocation) -> Conversation {
        let config = &self.engine.config;
        let aliases: Vec<_> = self
            .engine
            .models
            .aliases
            .iter()
            .map(|(alias, _)| alias.clone())
            .collect();
        let system = system_prompt(&AgentPrompt {
            kind: match invocation.role {
                Role::OneShot => AgentKind::OneShot,
                Role::Direct => AgentKind::Direct,
                _ => AgentKind::Agent,
            },
            config: PromptConfig {
                depth: invocation.depth,
                max_depth: config.max_depth,
                mode: config.prompt_mode,
                child_budget: iterations_for_depth(invocation.depth + 1, config.max_iterations),
            },
            iterations: invocation.iterations,
            invocation_id: &invocation.id,
            lineage: invocation.ancestors(),
            system_prompt: invocation.system_prompt.as_deref(),
            models: &aliases,
            drivers: &config.drivers,
        })
        .text();
        self.count(|stats| {
            stats.agents += 1;
            stats.depth_reached = stats.depth_reached.max(invocation.depth);
        });
        self.emit(
            invocation,
            EventKind::InvocationStart {
                role: invocation.role,
                query: Some(invocation.query().to_owned()),
                model: invocation.model.reference.clone(),
                max_iterations: invocation.iterations,
                system_prompt: Some(system.clone()),
            },
        );
        Conversation {
            system,
            messages: Vec::new(),
            recorded: 0,
            turn: 0,
        }
    }

    /// Closes an invocation's records.
    pub fn end(&self, invocation: &Invocation, result: &Result<String, Failure>, iterations: u32) {
        let (status, answer, error) = match result {
            Ok(answer) => (Status::Ok, Some(answer.clone()), None),
            Err(failure) => (failure.status, None, Some(failure.reason.clone())),
        };
        self.emit(
            invocation,
            EventKind::InvocationEnd {
                status,
                answer,
                error,
                iterations,
            },
        );
    }

    /// Sends a conversation to the invocation's model and takes its answer into it.
    pub async fn ask(
        &self,
        invocation: &Invocation,
        conversation: &mut Conversation,
    ) -> Result<Response, Failure> {
        conversation.turn += 1;
        self.emit(
            invocation,
            EventKind::LlmRequest {
                new_messages: conversation.messages[conversation.recorded..].to_vec(),
                messages: u32::try_from(conversation.messages.len()).ok(),
            },
        );
        conversation.recorded = conversation.messages.len();
        let request = Request {
            model: invocation.model.name.clone(),
            system: conversation.system.clone(),
            messages: conversation.messages.clone(),
            sampling: Arc::clone(&invocation.model.sampling),
            caller: Caller {
                sample: self.task.sample.clone(),
                attempt: self.task.attempt,
                invocation: invocation.id.clone(),
                role: invocation.role,
                depth: invocation.depth,
                turn: conversation.turn,
                mode: self.engine.config.prompt_mode,
            },
        };
        let asked = Instant::now();
        let result = {
            let _work = self.meter.begin();
            invocation
                .model
                .provider
                .complete(&request, &IgnoreCalls)
                .await
        };
        let elapsed = ms(asked.elapsed());
        self.count(|stats| stats.llm_calls += 1);
        match result {
            Ok(response) => {
                if let Some(usage) = response.usage {
                    self.count(|stats| stats.usage += usage);
                }
                self.emit(
                    invocation,
                    EventKind::LlmResponse {
                        text: response.text.clone(),
                        reasoning: response.reasoning.clone(),
                        code: response.code.clone(),
                        usage: response.usage,
                        cost_usd: response.cost_usd,
                        served_model: response.served_model.clone(),
                        ms: Some(elapsed),
                    },
                );
                conversation
                    .messages
                    .push(Message::assistant(&response.text));
                conversation.recorded = conversation.messages.len();
                Ok(response)
            }
            Err(error) => {
                self.emit(
                    invocation,
                    EventKind::LlmError {
                        error: error.to_string(),
                        ms: Some(elapsed),
                    },
                );
                Err(error.into())
            }
        }
    }

    /// Records an event of an invocation.
    pub fn emit(&self, invocation: &Invocation, kind: EventKind) {
        self.sink.emit(Event {
            v: EVENT_VERSION,
            run_id: self.task.run_id.clone(),
            sample: self.task.sample.clone(),
            attempt: self.task.attempt,
            at_ms: Some(ms(self.started.elapsed())),
            invocation: invocation.id.clone(),
            parent: invocation.parent.clone(),
            depth: invocation.depth,
            kind,
        });
    }

    /// Changes or reads the statistics.
    pub fn count<R>(&self, change: impl FnOnce(&mut Stats) -> R) -> R {
        change(&mut self.stats.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What `__rlm` shows to an agent.
    pub fn info(&self, invocation: &Invocation) -> sandbox::message::AgentInfo {
        sandbox::message::AgentInfo {
            depth: invocation.depth,
            max_depth: self.engine.config.max_depth,
            max_iterations: invocation.iterations,
            lineage: invocation.lineage.clone(),
            invocation_id: invocation.id.clone(),
            parent_id: invocation.parent.clone(),
        }
    }
}

impl Conversation {
    /// Adds a message of the harness.
    pub fn push(&mut self, message: Message) {
        self.messages.push(message);
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        Self {
            status: Status::Error,
            reason: error.to_string(),
        }
    }
}

impl From<sandbox::Lost> for Failure {
    fn from(lost: sandbox::Lost) -> Self {
        Self {
            // What its own code brought about is the agent's; what was done to it from outside is not.
            status: match lost.cause {
                LostCause::OwnCode => Status::Limit,
                LostCause::Outside => Status::Error,
            },
            reason: lost.to_string(),
        }
    }
}
