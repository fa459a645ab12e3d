//! What the agents of a run get: prompts, tools, hooks and limits, assembled without a model or a sample.

use std::sync::Arc;

use super::{ReplTreatment, Treatment};
use crate::agent::{Asker, Compact, Compaction, ProtocolSettings, ROOT, Root, Specialist};
use crate::hook::{Hook, HookEvent};
use crate::model::web::DumpAlso;
use crate::model::{Role, Subject, ToolSpec, ToolUse, Workplace};
use crate::prompt::definition::ToolStrategy;
use crate::prompt::{
    ActionOverrides, AgentPrompt, AnswerSchema, Assembled, ModelAlias, PromptConfig, code_tool,
    iterations_for_depth, system_prompt,
};
use crate::protocol::agent_turn::AgentTurnSettings;
use crate::protocol::root_agent;
use crate::protocol::tools::offered;
use crate::tool::ToolSet;

/// What the agents of a run get. Two runs of one model over the same samples whose agents get the same are one experiment,
/// whatever they are called.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentPlan {
    /// One agent of each kind that the run can have, the root first.
    pub agents: Vec<AgentPlan>,
    /// The greatest depth that an agent can have.
    pub max_depth: u32,
    /// Whether responses end where they have said all the code that may run.
    pub stops_early: bool,
    /// How code runs, as far as they meet it.
    pub repl: Option<ReplTreatment>,
    /// What of the settings of protocols they meet.
    pub settings: ProtocolSettings,
    /// How pages are shown and acted on, where the agent is one of the web.
    pub web: Option<AgentTurnSettings>,
    /// What dumps of pages hold beyond their format, where the protocol can work on pages.
    pub dump: Option<DumpAlso>,
    /// What the root's answer has to conform to, where its protocol has answers of its own form.
    pub answer_schema: Option<AnswerSchema>,
    /// What gives way where their conversations grow long, and the model of summaries, where they have turns.
    pub compaction: Option<(Compaction, Option<String>)>,
    /// The models that they can ask for by an alias, each with its alias.
    pub models: Vec<(String, String)>,
    /// The text about a page, where a sample has one and their protocol shows it to them.
    pub page: Option<String>,
}

/// What one agent gets.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentPlan {
    /// Which agent: `root`, `child at depth 1`, `specialist NAME`.
    pub agent: String,
    /// Its system prompt.
    pub system: String,
    /// The native tools of its requests.
    pub tools: ToolUse,
    /// The tools that it is given, by name and digest.
    pub functions: Vec<(String, String)>,
    /// Its hooks, each with the events that come for this agent and that it does something at.
    pub hooks: Vec<HookPlan>,
    /// Responses that it can give.
    pub iterations: u32,
    /// The model that it gets without naming any, if not the root's.
    pub model: Option<String>,
}

/// A hook at an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookPlan {
    /// Its name.
    pub name: String,
    /// Identifies its version.
    pub digest: String,
    /// The events, by name.
    pub events: Vec<&'static str>,
}

impl Treatment {
    /// What the agents get.
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
            // Only a response with code in blocks can be watched for their end.
            stops_early: self.stop_early
                && self.protocol.nature().has_repl()
                && !self.code_via_tool,
            repl: self.repl_met(),
            settings: root_agent(self.protocol).settings(&self.settings),
            web: self.is_web().then(|| self.web.clone()),
            dump: self.has_pages().then_some(self.dump),
            answer_schema: self.answer_schema.clone().filter(|_| self.answers_freely()),
            compaction: self.compaction_met(),
            models: self.models(),
            page: self.page_section(),
        }
    }

    /// How code runs, as far as the agents meet it.
    fn repl_met(&self) -> Option<ReplTreatment> {
        if self.protocol.nature().has_repl() {
            let mut repl = self.repl.clone();
            if self.protocol.nature().workplace == Workplace::Program && self.max_depth < 2 {
                // A program's values are always shown back, and no other agent returns any.
                repl.confirm_first_return = ReplTreatment::default().confirm_first_return;
            }
            Some(repl)
        } else {
            self.calls_tools().then(|| self.repl.met_by_tools())
        }
    }

    /// What gives way where conversations grow long, as far as agents meet it.
    fn compaction_met(&self) -> Option<(Compaction, Option<String>)> {
        if !self.protocol.nature().workplace.keeps_turns() {
            return None;
        }
        let met = self.compaction.met();
        let summaries = self.assigned.summaries.clone();
        let model = summaries.filter(|_| met.how == Compact::Summary);
        Some((met, model))
    }

    /// The root's system prompt.
    pub(super) fn root_prompt(&self) -> Assembled {
        let own = root_agent(self.protocol).root(self).system_prompt;
        let tools = self.root_tools();
        self.prompt(Role::Root(self.protocol), 0, own.as_deref(), &tools)
    }

    /// Responses that the root can give.
    pub(super) fn root_iterations(&self) -> u32 {
        Root::of(self).iterations
    }

    /// The greatest depth that an agent can have.
    pub(super) fn deepest(&self) -> u32 {
        let calls_prompts = self.calls_tools() && !self.tools.specialists.is_empty();
        if self.protocol.nature().calls_children() || calls_prompts {
            self.max_depth
        } else {
            0
        }
    }

    /// Whether the root can call tools of the run.
    pub(super) fn calls_tools(&self) -> bool {
        let nature = self.protocol.nature();
        let is_forbidden = nature.workplace == Workplace::NativeTools
            && self.root.tool_choice == ToolStrategy::None;
        nature.calls_tools() && !is_forbidden
    }

    /// Whether the root could call native tools in its protocol, and may not.
    fn is_barred_from_tools(&self) -> bool {
        self.protocol.nature().calls_tools() && !self.calls_tools()
    }

    /// Whether the root is the web agent, which its settings describe.
    pub fn is_web(&self) -> bool {
        self.protocol.nature().workplace == Workplace::Page
    }

    /// Whether the root answers with whatever it likes, so that a schema can be asked of it: the actions of pages and apps have a
    /// form of their own.
    fn answers_freely(&self) -> bool {
        let subjects = self.protocol.nature().subjects;
        subjects.contains(&Subject::Texts)
    }

    /// Whether the root can work on web pages.
    fn has_pages(&self) -> bool {
        self.protocol.nature().subjects.contains(&Subject::Pages)
    }

    /// The native tools that requests of the agents at a depth offer, besides those that a long context needs.
    pub fn native_tools(&self, depth: u32) -> Vec<ToolSpec> {
        let offered = if depth > 0 && depth < self.max_depth {
            code_tool::tool_use(self.code_via_tool, Role::Child)
        } else if depth > 0 || self.is_barred_from_tools() {
            ToolUse::default()
        } else {
            let protocol = root_agent(self.protocol);
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
            models: &self.aliases,
            drivers: &self.drivers,
            tools: &tools.specs(),
            code_via_tool: self.code_via_tool,
            overrides: &self.overrides,
            is_alone,
        })
    }

    /// The section that is added to a prompt where there is a page.
    fn page_section(&self) -> Option<String> {
        let mut prompt = Assembled::default();
        prompt.add_page(&self.overrides);
        let shows = self.has_pages() && self.protocol.nature().has_repl();
        shows.then(|| prompt.text())
    }

    /// The models that agents can ask for by an alias, each with its alias: every one from code, and from a prompt that is called
    /// as a tool the one that it names.
    fn models(&self) -> Vec<(String, String)> {
        let specialists = || self.tools.specialists.values();
        let is_named = |alias: &&ModelAlias| {
            self.protocol.nature().calls_children()
                || self.calls_tools() && specialists().any(|prompt| prompt.model == alias.alias)
        };
        let callable = self.aliases.iter().filter(is_named);
        callable
            .map(|alias| (alias.alias.clone(), alias.model.clone()))
            .collect()
    }

    fn root_plan(&self) -> AgentPlan {
        let own = self.root_tools();
        let (tools, native) = if self.is_barred_from_tools() {
            (own.clone(), ToolUse::default())
        } else {
            let protocol = root_agent(self.protocol);
            let tools = protocol.tools(&own);
            let native = protocol.offers(self, &tools);
            (tools, native)
        };
        AgentPlan {
            agent: ROOT.to_owned(),
            system: self.root_prompt().text(),
            tools: native,
            hooks: of_agent(
                self.root.hooks.as_deref().unwrap_or(&self.hooks),
                &tools,
                self.most_messages(self.root_iterations()),
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
            hooks: of_agent(&self.hooks, &tools, self.most_messages(iterations)),
            functions: functions(&tools),
            iterations,
            model: self.assigned.of(Asker::Agent, depth).cloned(),
        }
    }

    fn one_shot_plan(&self) -> AgentPlan {
        let tools = ToolSet::default();
        AgentPlan {
            agent: "one-shot call".to_owned(),
            system: self.prompt(Role::OneShot, 1, None, &tools).text(),
            tools: ToolUse::default(),
            hooks: of_agent(&self.hooks, &tools, self.most_messages(1)),
            functions: Vec::new(),
            iterations: 1,
            model: self.assigned.of(Asker::Call, 1).cloned(),
        }
    }

    fn specialist_plan(&self, specialist: &Specialist) -> AgentPlan {
        let tools = &specialist.tools;
        let role = specialist.role();
        let hooks = specialist.settings.hooks.as_deref();
        let iterations = iterations_for_depth(1, self.max_iterations);
        let named = (specialist.model != "default").then_some(&specialist.model);
        let assigned = self.assigned.of(Asker::Agent, 1).cloned();
        AgentPlan {
            agent: format!("specialist {} {}", specialist.name, specialist.digest()),
            system: self.prompt_of_specialist(role, specialist),
            tools: if role == Role::ToolSpecialist {
                offered(&specialist.settings, &ActionOverrides::default(), tools)
            } else {
                ToolUse::default()
            },
            hooks: of_agent(
                hooks.unwrap_or(&self.hooks),
                tools,
                self.most_messages(iterations),
            ),
            functions: functions(tools),
            iterations,
            model: named.is_none().then_some(assigned).flatten(),
        }
    }

    /// Messages that the last request of an agent with so many responses can have; none if nothing bounds them. An agent with a REPL
    /// gets one message after each response; one that calls native tools, or runs code by them, gets as many as it calls tools.
    fn most_messages(&self, iterations: u32) -> Option<usize> {
        if iterations <= 1 {
            Some(MESSAGES_OF_ONE_CALL)
        } else if self.protocol.nature().has_repl() && !self.code_via_tool {
            Some(MESSAGES_OF_ONE_CALL * iterations as usize)
        } else {
            None
        }
    }
}

fn functions(tools: &ToolSet) -> Vec<(String, String)> {
    let named = |given: &crate::tool::BoundTool| (given.spec().name.clone(), given.digest());
    tools.iter().map(named).collect()
}

/// Messages that the conversation of an agent with one response can have: with the context before the task, or in one.
const MESSAGES_OF_ONE_CALL: usize = 2;

/// The hooks that do something at an agent with these tools and at most as many messages.
fn of_agent(
    hooks: &[Arc<dyn Hook>],
    tools: &ToolSet,
    most_messages: Option<usize>,
) -> Vec<HookPlan> {
    let comes = |event: &&&'static str| !tools.is_empty() || !HookEvent::OF_TOOLS.contains(*event);
    let is_long_enough =
        |hook: &&Arc<dyn Hook>| most_messages.is_none_or(|most| hook.least_messages() <= most);
    let at_agent = hooks.iter().filter(is_long_enough).map(|hook| HookPlan {
        name: hook.name().to_owned(),
        digest: hook.digest().to_owned(),
        events: hook.events().iter().filter(comes).copied().collect(),
    });
    at_agent.filter(|hook| !hook.events.is_empty()).collect()
}

impl ReplTreatment {
    /// Returns what applies to agents that have no REPL and call native tools: results of tools are
    /// cut like output, and the arguments of a prompt called as a tool have the same limit.
    fn met_by_tools(&self) -> Self {
        let mut met = Self::default();
        met.config.limits.output_chars = self.config.limits.output_chars;
        met.config.limits.argument_chars = self.config.limits.argument_chars;
        met
    }
}
