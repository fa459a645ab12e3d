//! One agent of a delegation tree: who it is, what it was asked, and the names of its children.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use parking_lot::Mutex;
use sandbox::{HostFunctions, ModelCalls};

use super::{AgentSettings, Instances, Ledger, Model, Outbox, PageFunctions, Treatment};
use crate::model::{Message, Role, Workplace};
use crate::prompt::AnswerSchema;
use crate::tool::ToolSet;

/// The root's invocation id.
pub(crate) const ROOT: &str = "root";

/// What a protocol makes of the root.
pub(crate) struct Root {
    /// What kind of agent.
    pub role: Role,
    /// Iterations that it has.
    pub iterations: u32,
    /// A prompt that it brings.
    pub system_prompt: Option<String>,
}

impl Root {
    /// The root of the run's protocol, without a prompt of its own.
    pub const fn of(treatment: &Treatment) -> Self {
        let nature = treatment.protocol.nature();
        Self {
            role: Role::Root(treatment.protocol),
            iterations: if nature.one_call {
                1
            } else if matches!(nature.workplace, Workplace::Program) {
                treatment.settings.workflow_runs
            } else {
                treatment.max_iterations
            },
            system_prompt: None,
        }
    }
}

/// One agent.
#[derive(Clone)]
pub(crate) struct Invocation {
    /// `root`, `d1-c0`, `d1-c0.d2-c3`.
    pub id: String,
    /// The caller's id.
    pub parent: Option<String>,
    /// 0 for the root.
    pub depth: u32,
    /// What kind of agent.
    pub role: Role,
    /// Queries from the root's down to its own.
    pub lineage: Vec<String>,
    /// The model that it uses.
    pub model: Model,
    /// The prompt that its caller gave it.
    pub system_prompt: Option<String>,
    /// Iterations that it has.
    pub iterations: u32,
    /// Its page on the web, where it has one.
    pub page: Option<PageFunctions>,
    /// What it may call besides other agents.
    pub tools: ToolSet,
    /// What its children by `rlm()` may call.
    pub inherited_tools: ToolSet,
    /// Where its calls of tools are noted for its caller, if that is to have them.
    pub log: Option<ToolLog>,
    /// What its prompt definition says of its requests, where it is a definition that was called.
    pub settings: Option<Arc<AgentSettings>>,
    /// Its conversation up to its newest response, for definitions that it calls; kept where one of them sees it.
    pub heard: Arc<Mutex<Vec<Arc<Message>>>>,
    /// The agents that it created and that take its messages.
    pub instances: Instances,
    /// What its answer has to conform to, if that is to be checked.
    pub schema: Option<AnswerSchema>,
    /// Where its calls of models are booked: of the call that it answers, or the attempt's.
    pub ledger: Arc<Ledger>,
    /// The iteration that it is in; 0 before the first.
    pub progress: Arc<AtomicU32>,
    /// Where it says what its caller is to hear, if that is not what it answers.
    pub outbox: Option<Outbox>,
}

impl Invocation {
    /// What its REPL is opened with: the calls of models that its kind makes, its tools, and its page.
    pub fn functions(&self) -> HostFunctions {
        let page = PageFunctions::functions(self.page.as_ref());
        let functions = page.and(&self.tools.functions());
        functions.with_calls(match self.role.workplace() {
            Workplace::LoneRepl => ModelCalls::None,
            Workplace::Program => ModelCalls::OfProgram,
            _ => ModelCalls::OfTree,
        })
    }

    /// Whether no agent called it.
    pub const fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Whether it is a definition that was called and sees nothing of the agents above it.
    pub fn is_alone(&self) -> bool {
        (self.settings.as_ref()).is_some_and(|settings| !settings.include_chat)
    }

    /// What it was asked.
    pub fn query(&self) -> &str {
        self.lineage.last().map_or("", String::as_str)
    }

    /// What it was asked, with what its answer has to conform to.
    pub fn asked(&self) -> Cow<'_, str> {
        match &self.schema {
            Some(schema) => Cow::from(schema.asked(self.query(), self.role.has_repl())),
            None => Cow::from(self.query()),
        }
    }

    /// The queries above its own, root first.
    pub fn ancestors(&self) -> &[String] {
        self.lineage.split_last().map_or(&[], |(_, above)| above)
    }

    /// The id of its `index`-th call, counted from 0.
    pub fn child_id(&self, index: u32) -> String {
        self.id_below(&format!("c{index}"))
    }

    /// The id of whoever writes its `number`-th summary, counted from 1.
    pub fn summary_id(&self, number: u32) -> String {
        self.id_below(&format!("s{number}"))
    }

    fn id_below(&self, what: &str) -> String {
        let own = format!("d{}-{what}", self.depth + 1);
        if self.id == ROOT {
            own
        } else {
            format!("{}.{own}", self.id)
        }
    }
}

/// The calls of tools that an agent made, for the one that called it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolLog(Arc<Mutex<Vec<LoggedCall>>>);

/// A call of a tool and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoggedCall {
    pub name: String,
    /// JSON text.
    pub arguments: String,
    /// The result, as the agent reads it.
    pub shown: Result<String, String>,
}

impl ToolLog {
    pub fn push(&self, call: LoggedCall) {
        let mut calls = self.0.lock();
        calls.push(call);
    }

    pub fn take(&self) -> Vec<LoggedCall> {
        std::mem::take(&mut *self.0.lock())
    }
}
