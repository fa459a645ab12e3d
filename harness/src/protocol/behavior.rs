//! What a protocol defines about its root agent.

use async_trait::async_trait;

use super::agent_turn::AgentTurnError;
use crate::agent::{AgentPlan, Attempt, Conversation, Failure, Invocation, Treatment};
use crate::model::{ToolChoice, ToolUse};
use crate::prompt::code_tool;
use crate::settings::ProtocolSettings;
use crate::tool::ToolSet;

/// Behavior of a protocol's root: tools, settings, first messages and execution. Handling of
/// replies is part of [`AgentBehavior`](crate::agent::AgentBehavior).
#[async_trait]
pub(crate) trait ProtocolBehavior: Send + Sync {
    /// Checks that the protocol supports the treatment.
    fn check(&self, _treatment: &Treatment) -> Result<(), AgentTurnError> {
        Ok(())
    }

    /// Returns the tools that the root may use, given those of the run.
    fn tools(&self, of_run: &ToolSet) -> ToolSet {
        of_run.clone()
    }

    /// Returns the native tools in requests of a root with these tools.
    fn offers(&self, treatment: &Treatment, _tools: &ToolSet) -> ToolUse {
        code_tool::tool_use(treatment.prompts.code_via_tool(), self.root(treatment).role)
    }

    /// Returns the tool call that each response of the root must contain. `execute_code` is not
    /// required, because code in the text of a response runs as well.
    fn required_call(&self, _treatment: &Treatment) -> ToolChoice {
        ToolChoice::Auto
    }

    /// Returns the run's protocol settings, restricted to those that affect this protocol.
    fn settings(&self, _of_run: &ProtocolSettings) -> ProtocolSettings {
        ProtocolSettings::default()
    }

    /// Returns the plan of the root.
    fn root(&self, treatment: &Treatment) -> AgentPlan {
        AgentPlan::root(treatment)
    }

    /// Adds the first messages of the root to its conversation.
    fn open(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation);

    /// Runs the root and its whole tree of agents.
    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure>;
}
