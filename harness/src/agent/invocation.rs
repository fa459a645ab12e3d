//! One agent of a delegation tree: its identity, its query, and the ids of its children.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use parking_lot::Mutex;
use sandbox::{HostFunctions, ModelCalls};

use super::{AgentSettings, Instances, Ledger, Model, Outbox, PageFunctions, Treatment};
use crate::model::{ActionSurface, Message, Role};
use crate::prompt::AnswerSchema;
use crate::tool::ToolSet;

/// Invocation id of the root.
pub(crate) const ROOT: &str = "root";

/// Properties of the root that a protocol determines.
pub(crate) struct Root {
    /// Kind of agent.
    pub role: Role,
    /// Maximum iterations.
    pub iterations: u32,
    /// System prompt of the protocol, if it has one.
    pub system_prompt: Option<String>,
}

impl Root {
    /// Returns the root of the run's protocol, without its own prompt.
    pub const fn of(treatment: &Treatment) -> Self {
        let capabilities = treatment.protocol.capabilities();
        Self {
            role: Role::Root(treatment.protocol),
            iterations: if capabilities.one_call {
                1
            } else if matches!(capabilities.action_surface, ActionSurface::Program) {
                treatment.settings.workflow_runs
            } else {
                treatment.max_iterations
            },
            system_prompt: None,
        }
    }
}

/// One agent of a delegation tree.
#[derive(Clone)]
pub(crate) struct Invocation {
    /// Identifier: `root`, `d1-c0`, `d1-c0.d2-c3`.
    pub id: String,
    /// Id of the caller.
    pub parent: Option<String>,
    /// Depth; 0 for the root.
    pub depth: u32,
    /// Kind of agent.
    pub role: Role,
    /// Queries from the root's down to its own.
    pub lineage: Vec<String>,
    /// Model that it uses.
    pub model: Model,
    /// System prompt given by its caller.
    pub system_prompt: Option<String>,
    /// Maximum iterations.
    pub iterations: u32,
    /// Its web page, if it has one.
    pub page: Option<PageFunctions>,
    /// Tools that it may call.
    pub tools: ToolSet,
    /// Tools that its children by `rlm()` may call.
    pub inherited_tools: ToolSet,
    /// Log of its tool calls for its caller, if the caller wants them.
    pub log: Option<ToolLog>,
    /// Request settings of its prompt definition, if it is a called definition.
    pub settings: Option<Arc<AgentSettings>>,
    /// Its conversation up to its newest response, for called definitions; stored only if one of
    /// them reads it.
    pub history_snapshot: Arc<Mutex<Vec<Arc<Message>>>>,
    /// Instances that it created.
    pub instances: Instances,
    /// Schema that its answer must match, if it is checked.
    pub schema: Option<AnswerSchema>,
    /// Ledger of its model calls: that of the call that it answers, or the attempt's.
    pub ledger: Arc<Ledger>,
    /// Current iteration; 0 before the first.
    pub progress: Arc<AtomicU32>,
    /// Messages to its caller, if they are not its answers.
    pub outbox: Option<Outbox>,
}

impl Invocation {
    /// Returns the functions of its REPL: model calls of its kind, its tools, and its page.
    pub fn functions(&self) -> HostFunctions {
        let page = PageFunctions::functions(self.page.as_ref());
        let functions = page.and(&self.tools.functions());
        functions.with_calls(match self.role.action_surface() {
            ActionSurface::LoneRepl => ModelCalls::None,
            ActionSurface::Program => ModelCalls::OfProgram,
            _ => ModelCalls::OfTree,
        })
    }

    /// Whether it is the root of the tree.
    pub const fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Whether it is a called definition that does not see the agents above it.
    pub fn is_alone(&self) -> bool {
        (self.settings.as_ref()).is_some_and(|settings| !settings.include_chat)
    }

    /// Returns its query.
    pub fn query(&self) -> &str {
        self.lineage.last().map_or("", String::as_str)
    }

    /// Returns its query, with the schema that its answer must match.
    pub fn asked(&self) -> Cow<'_, str> {
        match &self.schema {
            Some(schema) => Cow::from(schema.asked(self.query(), self.role.has_repl())),
            None => Cow::from(self.query()),
        }
    }

    /// Returns the queries above its own, root first.
    pub fn ancestors(&self) -> &[String] {
        self.lineage.split_last().map_or(&[], |(_, above)| above)
    }

    /// Returns the id of its `index`-th call, 0-based.
    pub fn child_id(&self, index: u32) -> String {
        self.id_below(&format!("c{index}"))
    }

    /// Returns the id of the summarizer of its `number`-th summary, 1-based.
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

/// Tool calls of an agent, for its caller.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolLog(Arc<Mutex<Vec<LoggedCall>>>);

/// A tool call and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoggedCall {
    pub name: String,
    /// Arguments as JSON text.
    pub arguments: String,
    /// Result as the agent reads it.
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
