//! Assembles the plan of an experiment without a model or a sample. The plan is what the agents
//! receive: prompts, tools, hooks and limits.

use std::sync::Arc;

use super::{ReplTreatment, Treatment};
use crate::agent::{
    CallerRole, Compact, Compaction, ModelSlot, ProtocolSettings, ROOT, Root, Specialist,
};
use crate::hook::{Hook, HookEvent};
use crate::model::web::DumpExtensions;
use crate::model::{ActionSurface, InputKind, Role, ToolSpec, ToolUse};
use crate::prompt::definition::ToolStrategy;
use crate::prompt::{
    ActionOverrides, AgentPrompt, AnswerSchema, Assembled, ModelAlias, PromptConfig, code_tool,
    iterations_for_depth, system_prompt,
};
use crate::protocol::agent_turn::AgentTurnSettings;
use crate::protocol::protocol_behavior;
use crate::protocol::tools::offered;
use crate::tool::ToolSet;

/// Plan of an experiment: everything that its agents receive. Two runs with the same model and
/// samples are the same experiment if their plans are equal, even if their labels differ.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentPlan {
    /// One agent of each possible kind, root first.
    pub agents: Vec<AgentPlan>,
    /// Maximum depth of an agent.
    pub max_depth: u32,
    /// Whether reading of a response stops after the last code block that may run.
    pub stops_early: bool,
    /// REPL settings that affect the agents.
    pub repl: Option<ReplTreatment>,
    /// Protocol settings that affect the agents.
    pub settings: ProtocolSettings,
    /// Settings of the web agent, if the root is one.
    pub web: Option<AgentTurnSettings>,
    /// Additions to page dumps, if the protocol supports pages.
    pub dump: Option<DumpExtensions>,
    /// Schema of the root's answer, if its protocol supports one.
    pub answer_schema: Option<AnswerSchema>,
    /// Compaction of long conversations and the model for summaries, if agents have several turns.
    pub compaction: Option<(Compaction, Option<String>)>,
    /// Aliases that agents can call, each with its model.
    pub models: Vec<(String, String)>,
    /// Prompt section about pages, if the protocol adds it for samples with a page.
    pub page: Option<String>,
}

/// Everything that one agent receives.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentPlan {
    /// Kind of the agent: `root`, `child at depth N`, `one-shot call` or `specialist NAME DIGEST`.
    pub agent: String,
    /// System prompt.
    pub system: String,
    /// Native tools in the agent's requests.
    pub tools: ToolUse,
    /// Name and digest of each of the agent's tools.
    pub functions: Vec<(String, String)>,
    /// Hooks, each with the events of this agent that it handles.
    pub hooks: Vec<HookPlan>,
    /// Maximum number of responses.
    pub iterations: u32,
    /// Default model, if it differs from the root's.
    pub model: Option<String>,
}

/// A hook that runs for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookPlan {
    /// Name of the hook.
    pub name: String,
    /// Version from [`Hook::digest`].
    pub digest: String,
    /// Names of the events that it handles for the agent.
    pub events: Vec<&'static str>,
}

impl Treatment {
    /// Resolves the treatment into the plan of an experiment.
    pub fn plan(&self) -> ExperimentPlan {
        let mut agents = vec![self.root_plan()];
        if self.deepest() > 0 {
            for depth in 1..=self.max_depth {
                agents.push(self.child_plan(depth));
            }
            agents.push(self.one_shot_plan());
        }
        if self.calls_tools() {
            let specialists = self.tools.specialists.values();
            agents.extend(specialists.map(|specialist| self.specialist_plan(specialist)));
        }
        ExperimentPlan {
            agents,
            max_depth: self.deepest(),
            // Only the end of a fenced block can be detected in a stream.
            stops_early: self.stop_early
                && self.protocol.capabilities().has_repl()
                && !self.code_via_tool,
            repl: self.effective_repl(),
            settings: protocol_behavior(self.protocol).settings(&self.settings),
            web: self.is_web().then(|| self.web.clone()),
            dump: self.has_pages().then_some(self.dump),
            answer_schema: self.answer_schema.clone().filter(|_| self.answers_freely()),
            compaction: self.effective_compaction(),
            models: self.models(),
            page: self.page_section(),
        }
    }

    /// Returns the REPL settings that affect the agents.
    fn effective_repl(&self) -> Option<ReplTreatment> {
        if self.protocol.capabilities().has_repl() {
            let mut repl = self.repl.clone();
            if self.protocol.capabilities().action_surface == ActionSurface::Program
                && self.max_depth < 2
            {
                // The return values of programs are always shown for review, and no other agent
                // returns values.
                repl.confirm_first_return = ReplTreatment::default().confirm_first_return;
            }
            Some(repl)
        } else {
            self.calls_tools().then(|| self.repl.met_by_tools())
        }
    }

    /// Returns the compaction settings that affect the agents.
    fn effective_compaction(&self) -> Option<(Compaction, Option<String>)> {
        if !self.protocol.capabilities().action_surface.keeps_turns() {
            return None;
        }
        let effective = self.compaction.effective();
        let summaries = self.models.get(&ModelSlot::Summaries).cloned();
        let model = summaries.filter(|_| effective.how == Compact::Summary);
        Some((effective, model))
    }

    pub(super) fn root_prompt(&self) -> Assembled {
        let own = protocol_behavior(self.protocol).root(self).system_prompt;
        let tools = self.root_tools();
        self.prompt(Role::Root(self.protocol), 0, own.as_deref(), &tools)
    }

    /// Returns the maximum number of responses of the root.
    pub(super) fn root_iterations(&self) -> u32 {
        Root::of(self).iterations
    }

    /// Returns the maximum depth of an agent; 0 if the root cannot call child agents.
    pub(super) fn deepest(&self) -> u32 {
        let calls_prompts = self.calls_tools() && !self.tools.specialists.is_empty();
        if self.protocol.capabilities().calls_children() || calls_prompts {
            self.max_depth
        } else {
            0
        }
    }

    /// Whether the root can call the run's tools.
    pub(super) fn calls_tools(&self) -> bool {
        let capabilities = self.protocol.capabilities();
        let is_forbidden = capabilities.action_surface == ActionSurface::NativeTools
            && self.root.tool_choice == ToolStrategy::None;
        capabilities.calls_tools() && !is_forbidden
    }

    /// Whether the protocol supports tools, but the root must not call them.
    fn is_barred_from_tools(&self) -> bool {
        self.protocol.capabilities().calls_tools() && !self.calls_tools()
    }

    /// Whether the root is a web agent.
    pub fn is_web(&self) -> bool {
        self.protocol.capabilities().action_surface == ActionSurface::Page
    }

    /// Whether a schema can constrain the root's answer. Protocols for pages and apps have a fixed
    /// format.
    fn answers_freely(&self) -> bool {
        let inputs = self.protocol.capabilities().inputs;
        inputs.contains(&InputKind::Texts)
    }

    /// Whether the root's protocol supports web pages.
    fn has_pages(&self) -> bool {
        self.protocol
            .capabilities()
            .inputs
            .contains(&InputKind::Pages)
    }

    /// Returns the native tools in requests of agents at a depth, without the tools for reading
    /// long contexts.
    pub fn native_tools(&self, depth: u32) -> Vec<ToolSpec> {
        let offered = if depth > 0 && depth < self.max_depth {
            code_tool::tool_use(self.code_via_tool, Role::Child)
        } else if depth > 0 || self.is_barred_from_tools() {
            ToolUse::default()
        } else {
            let protocol = protocol_behavior(self.protocol);
            protocol.offers(self, &self.tools.root)
        };
        offered.specs.to_vec()
    }

    fn root_tools(&self) -> ToolSet {
        if self.calls_tools() {
            self.tools.root.clone()
        } else {
            ToolSet::default()
        }
    }

    fn prompt_of_specialist(&self, role: Role, specialist: &Specialist) -> String {
        let is_alone = !specialist.settings.include_chat;
        let own = Some(specialist.prompt.as_str());
        self.prompt_of(role, 1, own, &specialist.tools, is_alone)
            .text()
    }

    fn prompt(&self, role: Role, depth: u32, own: Option<&str>, tools: &ToolSet) -> Assembled {
        self.prompt_of(role, depth, own, tools, false)
    }

    fn prompt_of(
        &self,
        role: Role,
        depth: u32,
        own: Option<&str>,
        tools: &ToolSet,
        is_alone: bool,
    ) -> Assembled {
        let iterations = if depth == 0 {
            self.root_iterations()
        } else {
            iterations_for_depth(depth, self.max_iterations)
        };
        system_prompt(&AgentPrompt {
            role,
            config: PromptConfig {
                depth,
                max_depth: self.max_depth,
                mode: self.prompt_mode,
                child_budget: iterations_for_depth(depth + 1, self.max_iterations),
            },
            iterations,
            invocation_id: ROOT,
            lineage: &[],
            system_prompt: own,
            models: &self.models.described_aliases(),
            drivers: &self.drivers,
            tools: &tools.specs(),
            code_via_tool: self.code_via_tool,
            overrides: &self.overrides,
            is_alone,
        })
    }

    /// Returns the prompt section about pages, if the protocol adds it.
    fn page_section(&self) -> Option<String> {
        let mut prompt = Assembled::default();
        prompt.add_page(&self.overrides);
        let shows = self.has_pages() && self.protocol.capabilities().has_repl();
        shows.then(|| prompt.text())
    }

    /// Returns the aliases that agents can call, each with its model. Code can call all of them.
    /// Prompts that are called as tools use only the models in their definitions.
    fn models(&self) -> Vec<(String, String)> {
        let specialists = || self.tools.specialists.values();
        let is_named = |alias: &ModelAlias| {
            self.protocol.capabilities().calls_children()
                || self.calls_tools() && specialists().any(|prompt| prompt.model == alias.alias)
        };
        let aliases = self.models.described_aliases().into_iter();
        let callable = aliases.filter(is_named);
        callable.map(|alias| (alias.alias, alias.model)).collect()
    }

    fn root_plan(&self) -> AgentPlan {
        let own = self.root_tools();
        let (tools, native) = if self.is_barred_from_tools() {
            (own.clone(), ToolUse::default())
        } else {
            let protocol = protocol_behavior(self.protocol);
            let tools = protocol.tools(&own);
            let native = protocol.offers(self, &tools);
            (tools, native)
        };
        AgentPlan {
            agent: ROOT.to_owned(),
            system: self.root_prompt().text(),
            tools: native,
            hooks: agent_hooks(
                self.root.hooks.as_deref().unwrap_or(&self.hooks),
                &tools,
                self.max_messages(self.root_iterations()),
            ),
            functions: functions(&own),
            iterations: self.root_iterations(),
            model: None,
        }
    }

    fn child_plan(&self, depth: u32) -> AgentPlan {
        let is_flat = depth >= self.max_depth;
        let (tools, native) = if is_flat {
            (ToolSet::default(), ToolUse::default())
        } else {
            (
                self.root_tools(),
                code_tool::tool_use(self.code_via_tool, Role::Child),
            )
        };
        let iterations = if is_flat {
            1
        } else {
            iterations_for_depth(depth, self.max_iterations)
        };
        AgentPlan {
            agent: format!("child at depth {depth}"),
            system: self.prompt(Role::Child, depth, None, &tools).text(),
            tools: native,
            hooks: agent_hooks(&self.hooks, &tools, self.max_messages(iterations)),
            functions: functions(&tools),
            iterations,
            model: self.models.assigned(CallerRole::Agent, depth).cloned(),
        }
    }

    fn one_shot_plan(&self) -> AgentPlan {
        let tools = ToolSet::default();
        AgentPlan {
            agent: "one-shot call".to_owned(),
            system: self.prompt(Role::OneShot, 1, None, &tools).text(),
            tools: ToolUse::default(),
            hooks: agent_hooks(&self.hooks, &tools, self.max_messages(1)),
            functions: Vec::new(),
            iterations: 1,
            model: self.models.assigned(CallerRole::Call, 1).cloned(),
        }
    }

    fn specialist_plan(&self, specialist: &Specialist) -> AgentPlan {
        let tools = &specialist.tools;
        let role = specialist.role();
        let hooks = specialist.settings.hooks.as_deref();
        let iterations = iterations_for_depth(1, self.max_iterations);
        let named = (specialist.model != "default").then_some(&specialist.model);
        let assigned = self.models.assigned(CallerRole::Agent, 1).cloned();
        AgentPlan {
            agent: format!("specialist {} {}", specialist.name, specialist.digest()),
            system: self.prompt_of_specialist(role, specialist),
            tools: if role == Role::ToolSpecialist {
                offered(&specialist.settings, &ActionOverrides::default(), tools)
            } else {
                ToolUse::default()
            },
            hooks: agent_hooks(
                hooks.unwrap_or(&self.hooks),
                tools,
                self.max_messages(iterations),
            ),
            functions: functions(tools),
            iterations,
            model: named.is_none().then_some(assigned).flatten(),
        }
    }

    /// Returns the maximum number of messages in the last request of an agent with this many
    /// responses, or `None` if it is unlimited. Agents with a REPL get one message after each
    /// response; agents with native tools get one message for each call.
    fn max_messages(&self, iterations: u32) -> Option<usize> {
        if iterations <= 1 {
            Some(MAX_MESSAGES_OF_ONE_CALL)
        } else if self.protocol.capabilities().has_repl() && !self.code_via_tool {
            Some(MAX_MESSAGES_OF_ONE_CALL * iterations as usize)
        } else {
            None
        }
    }
}

fn functions(tools: &ToolSet) -> Vec<(String, String)> {
    let named = |given: &crate::tool::BoundTool| (given.spec().name.clone(), given.digest());
    tools.iter().map(named).collect()
}

/// Maximum number of messages in the request of an agent with one response: the context and the
/// task, possibly as one message.
const MAX_MESSAGES_OF_ONE_CALL: usize = 2;

/// Returns the hooks that have an effect on an agent with these tools and at most this many
/// messages.
fn agent_hooks(
    hooks: &[Arc<dyn Hook>],
    tools: &ToolSet,
    max_messages: Option<usize>,
) -> Vec<HookPlan> {
    let comes = |event: &&&'static str| !tools.is_empty() || !HookEvent::OF_TOOLS.contains(*event);
    let is_long_enough =
        |hook: &&Arc<dyn Hook>| max_messages.is_none_or(|most| hook.min_messages() <= most);
    let at_agent = hooks.iter().filter(is_long_enough).map(|hook| HookPlan {
        name: hook.name().to_owned(),
        digest: hook.digest().to_owned(),
        events: hook.events().iter().filter(comes).copied().collect(),
    });
    at_agent.filter(|hook| !hook.events.is_empty()).collect()
}

impl ReplTreatment {
    /// Returns the settings that affect agents with native tools instead of a REPL: the output
    /// limit also applies to tool results, and the argument limit to calls of prompts as tools.
    fn met_by_tools(&self) -> Self {
        let mut effective = Self::default();
        effective.config.limits.output_chars = self.config.limits.output_chars;
        effective.config.limits.argument_chars = self.config.limits.argument_chars;
        effective
    }
}
