//! Assembles the plan of an experiment without a model or a sample. The plan is what the agents
//! receive: prompts, tools, hooks and limits.

use std::sync::Arc;

use super::Treatment;
use crate::agent::{AgentPlan, CallerRole, Compaction, ModelSlot, ROOT, Specialist};
use crate::hook::{Hook, HookEvent};
use crate::model::web::DumpExtensions;
use crate::model::{ActionSurface, InputKind, Role, ToolChoice, ToolSpec, ToolUse};
use crate::prompt::definition::ToolStrategy;
use crate::prompt::{ActionOverrides, AnswerSchema, Assembled, ModelAlias, code_tool};
use crate::protocol::agent_turn::AgentTurnSettings;
use crate::protocol::protocol_behavior;
use crate::protocol::tools::offered;
use crate::settings::{Compact, IterationSettings, ProtocolSettings, ReplSettings};
use crate::tool::ToolSet;

/// Plan of an experiment: everything that its agents receive. Two runs with the same model and
/// samples are the same experiment if their plans are equal, even if their labels differ.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentPlan {
    /// One agent of each possible kind, root first.
    pub agents: Vec<AgentInputs>,
    /// Maximum depth of an agent.
    pub max_depth: u32,
    /// Whether reading of a response stops after the last code block that may run.
    pub stops_early: bool,
    /// Settings of the REPL and of iterations that affect the agents, if any do. Iteration limits
    /// are in `agents`.
    pub repl: Option<(ReplSettings, IterationSettings)>,
    /// Protocol settings that affect the agents.
    pub protocols: ProtocolSettings,
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

/// Everything that the agents of one plan receive, in a form that can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentInputs {
    /// Kind of the agent: `root`, `child at depth N`, `specialist at depth N`, `one-shot call` or
    /// `specialist NAME DIGEST`.
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

/// Placeholder for the system prompt that the caller gives to a child.
const SPECIALIST_PROMPT: &str = "You are a specialist.";

/// Position of an agent in the tree of agents.
#[derive(Debug, Clone)]
pub struct AgentPosition {
    /// Depth of the agent; the root is at depth 0.
    pub depth: u32,
    /// Maximum iterations of the agent.
    pub iterations: u32,
    /// Invocation id, which encodes the position.
    pub invocation_id: String,
    /// Queries of the agents above it, root first: empty, or one for each of them.
    pub lineage: Vec<String>,
    /// System prompt from its caller.
    pub system_prompt: Option<String>,
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
        let mut agents = vec![self.root_inputs()];
        if self.deepest() > 0 {
            for depth in 1..=self.prompts.max_depth {
                let name = format!("child at depth {depth}");
                agents.push(self.inputs(name, &self.child_agent(depth, None)));
                let specialist = self.child_agent(depth, Some(SPECIALIST_PROMPT.to_owned()));
                if specialist.role == Role::Specialist {
                    let name = format!("specialist at depth {depth}");
                    agents.push(self.inputs(name, &specialist));
                }
            }
            let plan = AgentPlan::one_call(Role::OneShot, 1);
            agents.push(self.inputs("one-shot call".to_owned(), &plan));
        }
        if self.calls_tools() {
            let specialists = self.tools.specialists.values();
            agents.extend(specialists.map(|specialist| self.specialist_inputs(specialist)));
        }
        ExperimentPlan {
            agents,
            max_depth: self.deepest(),
            // Only the end of a fenced block can be detected in a stream.
            stops_early: self.stop_early
                && self.protocol.capabilities().has_repl()
                && !self.prompts.code_via_tool(),
            repl: self.effective_repl(),
            protocols: protocol_behavior(self.protocol).settings(&self.protocols),
            web: self.is_web().then(|| self.web.clone()),
            dump: self.has_pages().then(|| self.pages.extensions()),
            answer_schema: self.answer_schema.clone().filter(|_| self.answers_freely()),
            compaction: self.effective_compaction(),
            models: self.models(),
            page: self.page_section(),
        }
    }

    /// Returns the REPL settings that affect the agents.
    fn effective_repl(&self) -> Option<(ReplSettings, IterationSettings)> {
        let defaults = IterationSettings::default();
        if self.protocol.capabilities().has_repl() {
            let mut iterations = IterationSettings {
                max_iterations: defaults.max_iterations,
                ..self.iterations.clone()
            };
            if self.protocol.capabilities().action_surface == ActionSurface::Program
                && self.prompts.max_depth < 2
            {
                // The return values of programs are always shown for review, and no other agent
                // returns values.
                iterations.confirm_first_return = defaults.confirm_first_return;
            }
            Some((self.repl.clone(), iterations))
        } else {
            // The output limit also applies to the results of native tools, and the argument limit
            // to calls of prompts as tools.
            let repl = ReplSettings {
                output_limit: self.repl.output_limit,
                argument_limit: self.repl.argument_limit,
                ..ReplSettings::default()
            };
            self.calls_tools().then_some((repl, defaults))
        }
    }

    /// Returns the compaction settings that affect the agents.
    fn effective_compaction(&self) -> Option<(Compaction, Option<String>)> {
        if !self.protocol.capabilities().action_surface.keeps_turns() {
            return None;
        }
        let effective = self.compaction.effective();
        let summaries = self.models.get(&ModelSlot::Summaries).cloned();
        let model = summaries.filter(|_| effective.settings.compaction == Compact::Summary);
        Some((effective, model))
    }

    /// Returns the plan of the root. Its prompt does not mention tools that it must not call.
    pub(super) fn root_agent(&self) -> AgentPlan {
        let mut plan = protocol_behavior(self.protocol).root(self);
        if !self.calls_tools() {
            plan.tools = ToolSet::default();
        }
        plan
    }

    /// Returns the plan of a child that `rlm()` creates at a depth, with this system prompt of the
    /// caller, if any.
    fn child_agent(&self, depth: u32, own_prompt: Option<String>) -> AgentPlan {
        AgentPlan::child(self, depth, own_prompt, &self.root_agent().tools)
    }

    /// Returns the system prompt of the agent at a position, which is exactly what the agent would
    /// get in a run.
    pub fn prompt_at(&self, position: &AgentPosition) -> Assembled {
        let own_prompt = position.system_prompt.clone();
        let mut plan = if position.depth == 0 {
            let root = self.root_agent();
            AgentPlan {
                own_prompt: root.own_prompt.or(own_prompt),
                ..root
            }
        } else {
            self.child_agent(position.depth, own_prompt)
        };
        plan.iterations = position.iterations;
        let (id, lineage) = (&position.invocation_id, &position.lineage);
        plan.system_prompt(self, self.prompts.code_via_tool(), id, lineage)
    }

    /// Returns the maximum depth of an agent; 0 if the root cannot call child agents.
    pub(super) fn deepest(&self) -> u32 {
        let calls_prompts = self.calls_tools() && !self.tools.specialists.is_empty();
        if self.protocol.capabilities().calls_children() || calls_prompts {
            self.prompts.max_depth
        } else {
            0
        }
    }

    /// Whether the root can call the run's tools.
    fn calls_tools(&self) -> bool {
        let capabilities = self.protocol.capabilities();
        let is_forbidden = capabilities.action_surface == ActionSurface::NativeTools
            && self.root.tool_choice == ToolStrategy::None;
        capabilities.calls_tools() && !is_forbidden
    }

    /// Whether the protocol supports tools, but the root must not call them.
    fn is_barred_from_tools(&self) -> bool {
        self.protocol.capabilities().calls_tools() && !self.calls_tools()
    }

    /// Returns the native tools in requests of a root with these tools.
    fn offers(&self, tools: &ToolSet) -> ToolUse {
        if self.is_barred_from_tools() {
            return ToolUse::default();
        }
        protocol_behavior(self.protocol).offers(self, tools)
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
        let offered = if depth > 0 {
            code_tool::tool_use(
                self.prompts.code_via_tool(),
                self.child_agent(depth, None).role,
            )
        } else {
            self.offers(&self.tools.root)
        };
        offered.specs.to_vec()
    }

    /// Returns the call that the protocol requires in each response of the root.
    pub fn required_call(&self) -> ToolChoice {
        protocol_behavior(self.protocol).required_call(self)
    }

    /// Returns the system prompt of an agent of this plan, as if it were the root.
    pub(super) fn prompt(&self, plan: &AgentPlan) -> Assembled {
        plan.system_prompt(self, self.prompts.code_via_tool(), ROOT, &[])
    }

    /// Returns the prompt section about pages, if the protocol adds it.
    fn page_section(&self) -> Option<String> {
        let mut prompt = Assembled::default();
        prompt.add_page(&self.overrides);
        let has_pages = self.has_pages() && self.protocol.capabilities().has_repl();
        // Children with a REPL can get a page even if the root's whole prompt is replaced.
        let shows = !self.overrides.replaces_whole_prompt() || self.prompts.max_depth > 1;
        (has_pages && shows).then(|| prompt.text())
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

    fn root_inputs(&self) -> AgentInputs {
        let plan = self.root_agent();
        let tools = if self.is_barred_from_tools() {
            plan.tools.clone()
        } else {
            protocol_behavior(self.protocol).tools(&plan.tools)
        };
        AgentInputs {
            hooks: self.hooks_of(&plan, &tools),
            tools: self.offers(&tools),
            ..self.inputs(ROOT.to_owned(), &plan)
        }
    }

    fn specialist_inputs(&self, specialist: &Specialist) -> AgentInputs {
        let plan = AgentPlan::specialist(self, specialist, 1);
        let name = format!("specialist {} {}", specialist.name, specialist.digest());
        let assigned = self.models.assigned(CallerRole::Agent, 1).cloned();
        let mut inputs = self.inputs(name, &plan);
        if plan.role == Role::ToolSpecialist {
            let actions = ActionOverrides::default();
            inputs.tools = offered(&specialist.settings, &actions, &plan.tools);
        }
        AgentInputs {
            model: assigned.filter(|_| specialist.model == "default"),
            ..inputs
        }
    }

    /// Returns what agents of a plan receive, with the default model for their role and depth.
    fn inputs(&self, agent: String, plan: &AgentPlan) -> AgentInputs {
        let caller = match plan.role {
            Role::OneShot => CallerRole::Call,
            _ => CallerRole::Agent,
        };
        let assigned = self.models.assigned(caller, plan.depth);
        AgentInputs {
            agent,
            system: self.prompt(plan).text(),
            tools: code_tool::tool_use(self.prompts.code_via_tool(), plan.role),
            functions: plan.tools.digests().collect(),
            hooks: self.hooks_of(plan, &plan.tools),
            iterations: plan.iterations,
            model: assigned.filter(|_| plan.depth > 0).cloned(),
        }
    }

    /// Returns the hooks that have an effect on agents of a plan with these tools.
    fn hooks_of(&self, plan: &AgentPlan, tools: &ToolSet) -> Vec<HookPlan> {
        let max_messages = self.max_messages(plan.iterations);
        let comes =
            |event: &&&'static str| !tools.is_empty() || !HookEvent::OF_TOOLS.contains(*event);
        let is_long_enough =
            |hook: &&Arc<dyn Hook>| max_messages.is_none_or(|most| hook.min_messages() <= most);
        let hooks = plan.hooks(self).iter().filter(is_long_enough);
        let at_agent = hooks.map(|hook| HookPlan {
            name: hook.name().to_owned(),
            digest: hook.digest().to_owned(),
            events: hook.events().iter().filter(comes).copied().collect(),
        });
        at_agent.filter(|hook| !hook.events.is_empty()).collect()
    }

    /// Returns the maximum number of messages in the last request of an agent with this many
    /// responses, or `None` if it is unlimited. Agents with a REPL get one message after each
    /// response; agents with native tools get one message for each call.
    fn max_messages(&self, iterations: u32) -> Option<usize> {
        if iterations <= 1 {
            Some(MAX_MESSAGES_OF_ONE_CALL)
        } else if self.protocol.capabilities().has_repl() && !self.prompts.code_via_tool() {
            Some(MAX_MESSAGES_OF_ONE_CALL * iterations as usize)
        } else {
            None
        }
    }
}

/// Maximum number of messages in the request of an agent with one response: the context and the
/// task, possibly as one message.
const MAX_MESSAGES_OF_ONE_CALL: usize = 2;
