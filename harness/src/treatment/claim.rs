//! One thing that a run is labelled with: how it is written, and what the run is without it.

use std::fmt;

use super::{
    DEFAULT_MAX_DEPTH, DEFAULT_MAX_ITERATIONS, ProtocolSetting, ReplSetting, Sent, Treatment,
};
use crate::agent::{AgentSettings, Compaction, DEFAULT_KEPT_TURNS};
use crate::model::web::DumpAlso;
use crate::prompt::{ActionOverrides, PromptMode, ReplApi};
use crate::protocol::agent_turn::AgentTurnSettings;
use crate::tool::ToolSet;

/// A setting that differs from its default, and so claims something of the agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// How the root works.
    PromptMode(PromptMode),
    /// A driver, by name.
    Driver(String),
    /// The drivers that a profile adds beside those that are named.
    Profile {
        /// The profile.
        name: String,
        /// Its drivers that are not named by themselves.
        drivers: Vec<String>,
    },
    /// The definition that the root runs under.
    Prompt(String),
    /// A text or a file that is laid over the prompts.
    Setting(Setting),
    /// How code runs.
    Repl(ReplSetting),
    /// What belongs to one protocol.
    Protocol(ProtocolSetting),
    /// A limit to the depth of the tree.
    MaxDepth(u32),
    /// Iterations of the root.
    MaxIterations(u32),
    /// A tool, by name.
    Tool(String),
    /// A hook, by name.
    Hook(String),
    /// Another model, by its alias.
    ModelAlias(String),
    /// The model of children.
    ChildModel,
    /// The model of calls of `llm()`.
    LlmModel,
    /// The model of the agents of a depth.
    ModelAtDepth(u32),
    /// The model of summaries.
    CompactionModel,
}

/// A setting that is written by its flag alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// What takes the place of the root's prompt.
    SystemPromptFile,
    /// What the root is called.
    AgentName,
    /// What it is at work on.
    Site,
    /// Who it is.
    Persona,
    /// What follows its prompt.
    AppendSystemPrompt,
    /// What is said of tools otherwise.
    ActionOverrides,
    /// Code by calls of a tool.
    CodeVia,
    /// Responses that end with their code.
    StopEarly,
    /// The web agent.
    WebAgent,
    /// Loose text in dumps of pages.
    DumpText,
    /// What else dumps of pages hold.
    DumpAlso,
    /// What the root's answer has to conform to.
    AnswerSchema,
    /// How much of the REPL prompts describe.
    ReplApi,
    /// What gives way where conversations grow long.
    Compaction,
    /// From what size on it does.
    CompactionAt,
    /// The turns that a summary leaves whole.
    CompactionKeep,
}

impl Claim {
    /// Whether it is a limit. A limit without effect is harmless: scripts set it for all protocols
    /// alike, and a run is not labelled by it.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::MaxDepth(_) | Self::MaxIterations(_) => true,
            Self::Repl(setting) => setting.is_limit,
            _ => false,
        }
    }
}

/// As it is written on a command line.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PromptMode(mode) => write!(f, "--prompt-mode {mode}"),
            Self::Driver(name) => write!(f, "--drivers {name}"),
            Self::Profile { name, .. } => write!(f, "--profile {name}"),
            Self::Prompt(name) => write!(f, "--prompt {name}"),
            Self::Setting(setting) => f.write_str(setting.flag()),
            Self::Repl(setting) => f.write_str(setting.flag),
            Self::Protocol(setting) => f.write_str(setting.flag),
            Self::MaxDepth(depth) => write!(f, "--max-depth {depth}"),
            Self::MaxIterations(iterations) => write!(f, "--max-iterations {iterations}"),
            Self::Tool(name) => write!(f, "--tools {name}"),
            Self::Hook(name) => write!(f, "--hooks {name}"),
            Self::ModelAlias(alias) => write!(f, "--model-alias {alias}"),
            Self::ChildModel => f.write_str("--child-model"),
            Self::LlmModel => f.write_str("--llm-model"),
            Self::ModelAtDepth(depth) => write!(f, "--model-at-depth {depth}"),
            Self::CompactionModel => f.write_str("--compaction-model"),
        }
    }
}

impl Setting {
    /// Its flag.
    pub const fn flag(self) -> &'static str {
        match self {
            Self::SystemPromptFile => "--system-prompt-file",
            Self::AgentName => "--agent-name",
            Self::Site => "--site",
            Self::Persona => "--persona",
            Self::AppendSystemPrompt => "--append-system-prompt",
            Self::ActionOverrides => "--action-overrides",
            Self::CodeVia => "--code-via tool",
            Self::StopEarly => "--stop-early",
            Self::WebAgent => "--web-agent",
            Self::DumpText => "--dump-text all",
            Self::DumpAlso => "--dump-also",
            Self::AnswerSchema => "--answer-schema",
            Self::ReplApi => "--repl-api extended",
            Self::Compaction => "--compaction",
            Self::CompactionAt => "--compaction-at",
            Self::CompactionKeep => "--compaction-keep",
        }
    }
}

impl Claim {
    /// The run without it: as if the setting had its default.
    pub(super) fn removed(&self, from: &Treatment) -> Treatment {
        let mut run = from.clone();
        match self {
            Self::PromptMode(_) => run.prompt_mode = PromptMode::default(),
            Self::Driver(name) => run.drivers.retain(|driver| driver.name != *name),
            Self::Profile { drivers, .. } => {
                run.drivers.retain(|driver| !drivers.contains(&driver.name));
            }
            Self::Prompt(_) => {
                run.overrides.definition = None;
                run.root = AgentSettings::default();
            }
            Self::Setting(setting) => setting.remove(&mut run),
            Self::Repl(setting) => run.repl = setting.removed(&run.repl),
            Self::Protocol(setting) => run.settings = setting.removed(&run.settings),
            Self::MaxDepth(_) => run.max_depth = DEFAULT_MAX_DEPTH,
            Self::MaxIterations(_) => run.max_iterations = DEFAULT_MAX_ITERATIONS,
            Self::Tool(name) => run.tools.root = run.tools.root.without(name),
            Self::Hook(name) => run.hooks.retain(|hook| hook.name() != name),
            Self::ModelAlias(alias) => run.aliases.retain(|other| other.alias != *alias),
            Self::ChildModel => run.assigned.children = None,
            Self::LlmModel => run.assigned.calls = None,
            Self::ModelAtDepth(depth) => {
                run.assigned.at_depth.remove(depth);
            }
            Self::CompactionModel => run.assigned.summaries = None,
        }
        run
    }

    /// The claim that brings the same thing without this one.
    pub(super) fn brought_by(&self, run: &Treatment) -> Option<String> {
        match self {
            Self::Driver(name) => {
                let (profile, drivers) = run.brought.profile.as_ref()?;
                let is_brought = drivers.contains(name);
                is_brought.then(|| format!("--profile {profile}"))
            }
            Self::Tool(name) => {
                let definition = &run.overrides.definition.as_ref()?.name;
                let in_box = |tools: &ToolSet| Some(tools.named(name)?.digest());
                let brought = in_box(&run.brought.tools)?;
                let is_brought = in_box(&run.tools.root) == Some(brought);
                is_brought.then(|| format!("--prompt {definition}"))
            }
            _ => None,
        }
    }

    /// Whether the agents of a run, who get `sent`, get something of it.
    pub(super) fn is_live(&self, run: &Treatment, sent: &Sent) -> bool {
        if self.brought_by(run).is_some() {
            return false;
        }
        let without = self.removed(run).sent();
        match self {
            // A definition is its text: what else its file says is not what it is named for.
            Self::Prompt(_) => system_of_root(&without) != system_of_root(sent),
            _ => without != *sent,
        }
    }
}

impl Setting {
    fn remove(self, run: &mut Treatment) {
        let overrides = &mut run.overrides;
        match self {
            Self::SystemPromptFile => overrides.replacement = None,
            Self::AgentName => overrides.agent_name.clear(),
            Self::Site => overrides.site.clear(),
            Self::Persona => overrides.persona.clear(),
            Self::AppendSystemPrompt => overrides.append.clear(),
            Self::ActionOverrides => overrides.actions = ActionOverrides::default(),
            Self::CodeVia => run.code_via_tool = false,
            Self::StopEarly => run.stop_early = false,
            Self::WebAgent => run.web = AgentTurnSettings::default(),
            Self::DumpText => run.dump.text = false,
            Self::AnswerSchema => run.answer_schema = None,
            Self::ReplApi => overrides.repl_api = ReplApi::default(),
            Self::Compaction => run.compaction = Compaction::default(),
            Self::CompactionAt => run.compaction.at = None,
            Self::CompactionKeep => run.compaction.keep = DEFAULT_KEPT_TURNS,
            Self::DumpAlso => {
                run.dump = DumpAlso {
                    text: run.dump.text,
                    ..DumpAlso::default()
                }
            }
        }
    }
}

fn system_of_root(sent: &Sent) -> Option<&str> {
    sent.agents.first().map(|root| root.system.as_str())
}
