//! Plans of agents: role, prompt, tools, hooks and limits of each kind of agent.
//!
//! Invariant: every invocation starts with a plan, and the checks of a treatment compare the same
//! plans. Later, a call or a protocol changes only the number of iterations and the tools.

use std::sync::Arc;

use super::{AgentSettings, Specialist, Treatment};
use crate::hook::Hook;
use crate::model::{ActionSurface, Role};
use crate::prompt::{
    AgentPrompt, Assembled, DefinitionPiece, PromptConfig, definition_prompt, iterations_for_depth,
    system_prompt,
};
use crate::tool::ToolSet;

/// Plan of an agent: everything that it receives, except its question, its context and its model.
#[derive(Clone)]
pub(crate) struct AgentPlan {
    pub role: Role,
    /// Depth; 0 for the root.
    pub depth: u32,
    /// System prompt of the caller or the protocol, if any.
    pub own_prompt: Option<String>,
    /// Text of the called prompt definition in pieces, if the agent has one.
    pub definition: Option<Arc<[DefinitionPiece]>>,
    /// Maximum iterations.
    pub iterations: u32,
    /// Tools that the agent may call.
    pub tools: ToolSet,
    /// Request settings of the agent's prompt definition, if any; always set for the root.
    pub settings: Option<Arc<AgentSettings>>,
}

impl AgentPlan {
    /// Returns the plan of an agent that answers in one call, without tools.
    pub fn one_call(role: Role, depth: u32) -> Self {
        Self {
            role,
            depth,
            own_prompt: None,
            definition: None,
            iterations: 1,
            tools: ToolSet::default(),
            settings: None,
        }
    }

    /// Returns the plan of the root, before the protocol changes it.
    pub fn root(treatment: &Treatment) -> Self {
        let capabilities = treatment.protocol.capabilities();
        let iterations = if capabilities.one_call {
            1
        } else if capabilities.action_surface == ActionSurface::Program {
            treatment.protocols.workflow_runs
        } else {
            treatment.iterations.max_iterations
        };
        Self {
            iterations,
            tools: if capabilities.calls_tools() {
                treatment.tools.root.clone()
            } else {
                ToolSet::default()
            },
            settings: Some(Arc::new(treatment.root.clone())),
            ..Self::one_call(Role::Root(treatment.protocol), 0)
        }
    }

    /// Returns the plan of a child that `rlm()` creates at a depth, with this system prompt of the
    /// caller, if any. At the maximum depth, the child has neither a REPL nor tools.
    pub fn child(
        treatment: &Treatment,
        depth: u32,
        own_prompt: Option<String>,
        tools: &ToolSet,
    ) -> Self {
        let is_specialist = own_prompt
            .as_ref()
            .is_some_and(|own| !own.trim().is_empty());
        let role = if depth >= treatment.prompts.max_depth {
            Role::Flat
        } else if is_specialist {
            Role::Specialist
        } else {
            Role::Child
        };
        let plan = Self {
            own_prompt,
            ..Self::one_call(role, depth)
        };
        if role == Role::Flat {
            return plan;
        }
        Self {
            iterations: iterations_for_depth(depth, treatment.iterations.max_iterations),
            tools: tools.clone(),
            ..plan
        }
    }

    /// Returns the plan of a callable prompt at a depth.
    pub fn specialist(treatment: &Treatment, specialist: &Specialist, depth: u32) -> Self {
        let role = specialist.role();
        Self {
            definition: Some(Arc::clone(&specialist.prompt)),
            iterations: match &specialist.talk {
                Some(talk) => talk.max_messages.get(),
                None if role == Role::OneShot => 1,
                None => iterations_for_depth(depth, treatment.iterations.max_iterations),
            },
            tools: specialist.tools.clone(),
            settings: Some(Arc::clone(&specialist.settings)),
            ..Self::one_call(role, depth)
        }
    }

    /// Whether the agent has a prompt definition without `includeChat`, so that it does not see its
    /// caller's conversation.
    pub fn is_alone(&self) -> bool {
        let settings = self.settings.as_ref().filter(|_| self.depth > 0);
        settings.is_some_and(|settings| !settings.include_chat)
    }

    /// Returns the hooks that the agent's prompt definition lists, or else the hooks of the run.
    pub fn hooks<'a>(&'a self, treatment: &'a Treatment) -> &'a [Arc<dyn Hook>] {
        let listed = self.settings.as_ref().and_then(|own| own.hooks.as_deref());
        listed.unwrap_or(&treatment.hooks)
    }

    /// Assembles the system prompt of an invocation. `lineage` are the queries of the agents above
    /// it, root first.
    pub fn system_prompt(
        &self,
        treatment: &Treatment,
        code_via_tool: bool,
        invocation_id: &str,
        lineage: &[String],
    ) -> Assembled {
        let deeper = self.depth + 1;
        let (models, tools) = (treatment.models.described_aliases(), self.tools.specs());
        let agent = AgentPrompt {
            role: self.role,
            config: PromptConfig {
                depth: self.depth,
                max_depth: treatment.prompts.max_depth,
                mode: treatment.prompts.prompt_mode,
                child_budget: iterations_for_depth(deeper, treatment.iterations.max_iterations),
            },
            iterations: self.iterations,
            invocation_id,
            lineage,
            system_prompt: self.own_prompt.as_deref(),
            models: &models,
            drivers: &treatment.drivers,
            tools: &tools,
            code_via_tool,
            overrides: &treatment.overrides,
            is_alone: self.is_alone(),
        };
        let definition = self.definition.as_ref();
        let own = definition.map(|pieces| definition_prompt(pieces, &agent));
        system_prompt(&AgentPrompt {
            system_prompt: own.as_deref().or(agent.system_prompt),
            ..agent
        })
    }
}
