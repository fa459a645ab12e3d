//! One agent in a delegation tree.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use parking_lot::Mutex;
use sandbox::{HostFunctions, ModelCalls};

use super::{AgentPlan, Instances, Ledger, Model, Outbox, PageFunctions, ToolLog};
use crate::model::{ActionSurface, Message};
use crate::prompt::AnswerSchema;
use crate::tool::ToolSet;

/// Invocation id of the root.
pub(crate) const ROOT: &str = "root";

/// One agent of a delegation tree.
#[derive(Clone)]
pub(crate) struct Invocation {
    /// Identifier, such as `root`, `d1-c0` or `d1-c0.d2-c3`.
    pub id: String,
    /// Id of the caller.
    pub parent: Option<String>,
    /// What the agent receives.
    pub plan: AgentPlan,
    /// Queries of all agents from the root to this one.
    pub lineage: Vec<String>,
    pub model: Model,
    /// Web page that the agent can use, if any.
    pub page: Option<PageFunctions>,
    /// Tools for children that the agent creates with `rlm()`.
    pub inherited_tools: ToolSet,
    /// Log of the agent's tool calls, if the caller requested it.
    pub log: Option<ToolLog>,
    /// Messages of the agent's newest request, for callable prompts that see their caller's
    /// conversation. Stored only if the run has prompts of this kind.
    pub history_snapshot: Arc<Mutex<Vec<Arc<Message>>>>,
    /// Instances that the agent created.
    pub instances: Instances,
    /// Schema that the answer must match, if any.
    pub schema: Option<AnswerSchema>,
    /// Ledger for the agent's model calls: the attempt's, or that of the nearest enclosing call
    /// with its own budget.
    pub ledger: Arc<Ledger>,
    /// Current iteration; 0 before the first.
    pub progress: Arc<AtomicU32>,
    /// Messages to the caller, if the agent sends them with a tool.
    pub outbox: Option<Outbox>,
}

impl Invocation {
    /// Creates the root of an attempt.
    pub fn root(plan: AgentPlan, query: &str, model: Model, ledger: &Arc<Ledger>) -> Self {
        Self {
            id: ROOT.to_owned(),
            parent: None,
            lineage: vec![query.to_owned()],
            model,
            page: None,
            inherited_tools: ToolSet::default(),
            log: None,
            history_snapshot: Arc::default(),
            instances: Instances::default(),
            schema: None,
            ledger: Arc::clone(ledger),
            progress: Arc::default(),
            outbox: None,
            plan,
        }
    }

    /// Creates an agent that this one calls with a query. It shares the caller's ledger and sees
    /// the lineage of its queries.
    pub fn child(&self, id: String, plan: AgentPlan, query: String, model: Model) -> Self {
        let mut lineage = self.lineage.clone();
        lineage.push(query);
        Self {
            id,
            parent: Some(self.id.clone()),
            lineage,
            ..Self::root(plan, "", model, &self.ledger)
        }
    }

    /// Returns the functions of the agent's REPL: model calls, tools and page functions.
    pub fn functions(&self) -> HostFunctions {
        let page = PageFunctions::functions(self.page.as_ref());
        let functions = page.and(&self.plan.tools.functions());
        functions.with_calls(match self.plan.role.action_surface() {
            ActionSurface::LoneRepl => ModelCalls::None,
            ActionSurface::Program => ModelCalls::OfProgram,
            _ => ModelCalls::OfTree,
        })
    }

    /// Whether this agent is the root of the tree.
    pub const fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Returns the agent's query.
    pub fn query(&self) -> &str {
        self.lineage.last().map_or("", String::as_str)
    }

    /// Returns the agent's query, followed by the schema that the answer must match, if any.
    pub fn asked(&self) -> Cow<'_, str> {
        match &self.schema {
            Some(schema) => Cow::from(schema.asked(self.query(), self.plan.role.has_repl())),
            None => Cow::from(self.query()),
        }
    }

    /// Returns the queries of the agents above this one, root first.
    pub fn ancestors(&self) -> &[String] {
        self.lineage.split_last().map_or(&[], |(_, above)| above)
    }

    /// Returns the id of the agent's `index`-th child, 0-based.
    pub fn child_id(&self, index: u32) -> String {
        self.id_below(&format!("c{index}"))
    }

    /// Returns the id of the agent that writes the `number`-th summary, 1-based.
    pub fn summary_id(&self, number: u32) -> String {
        self.id_below(&format!("s{number}"))
    }

    fn id_below(&self, what: &str) -> String {
        let own = format!("d{}-{what}", self.plan.depth + 1);
        if self.id == ROOT {
            own
        } else {
            format!("{}.{own}", self.id)
        }
    }
}
