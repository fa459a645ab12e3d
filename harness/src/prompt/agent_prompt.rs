//! Inputs of an agent's system prompt.

use super::config::PromptConfig;
use super::driver::Driver;
use super::model_alias::ModelAlias;
use super::overrides::PromptOverrides;
use crate::model::{Role, ToolSpec};

/// Inputs of an agent's system prompt.
#[derive(Debug, Clone, Copy)]
pub struct AgentPrompt<'a> {
    /// Role of the agent. At depth `max_depth` or deeper, roles whose REPL can call children get
    /// the prompt of a flat agent.
    pub role: Role,
    /// Depth of the agent, maximum depth, mode, and maximum iterations of children.
    pub config: PromptConfig,
    /// Maximum iterations of this agent.
    pub iterations: u32,
    /// Invocation id of the agent.
    pub invocation_id: &'a str,
    /// Queries of the agents above it, root first; empty for the root.
    pub lineage: &'a [String],
    /// System prompt from its caller; a blank one is ignored.
    pub system_prompt: Option<&'a str>,
    /// Model aliases that `rlm()` and `llm()` accept as `model`.
    pub models: &'a [ModelAlias],
    /// Drivers of the run, in order. Only the root's prompt contains them.
    pub drivers: &'a [Driver],
    /// Functions in its REPL other than the builtins. Only prompts of agents with a REPL list them.
    pub tools: &'a [ToolSpec],
    /// Whether the model writes code in calls to `execute_code` instead of in fenced blocks.
    pub code_via_tool: bool,
    /// Prompt overrides of the run.
    pub overrides: &'a PromptOverrides,
    /// Whether the prompt omits the agent's position and the date, for example for a definition
    /// that is called without `includeChat`.
    pub is_alone: bool,
}

impl AgentPrompt<'_> {
    /// Whether the agent is the root.
    pub(super) fn is_root(&self) -> bool {
        self.config.depth == 0 && self.role != Role::OneShot
    }
}
