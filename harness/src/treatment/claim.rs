//! An explicit setting of a run: its flag, and the run without it.

use std::fmt;

use super::{
    DEFAULT_MAX_DEPTH, DEFAULT_MAX_ITERATIONS, ProtocolSetting, ReplSetting, Sent, Treatment,
};
use crate::agent::{AgentSettings, Compaction, DEFAULT_KEPT_TURNS};
use crate::model::web::DumpAlso;
use crate::prompt::{ActionOverrides, PromptMode, ReplApi};
use crate::protocol::agent_turn::AgentTurnSettings;
use crate::tool::ToolSet;

/// An explicit setting: one that differs from its default and labels the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Prompt mode of the root.
    PromptMode(PromptMode),
    /// A driver, by name.
    Driver(String),
    /// Drivers that a profile adds to the named ones.
    Profile {
        /// Name of the profile.
        name: String,
        /// Drivers of the profile that are not also named.
        drivers: Vec<String>,
    },
    /// Definition of the root.
    Prompt(String),
    /// A setting without a value to display, such as a text or a file.
    Setting(Setting),
    /// A setting of the REPL.
    Repl(ReplSetting),
    /// A setting of one protocol.
    Protocol(ProtocolSetting),
    /// Maximum depth of the tree.
    MaxDepth(u32),
    /// Maximum iterations of the root.
    MaxIterations(u32),
    /// A tool, by name.
    Tool(String),
    /// A hook, by name.
    Hook(String),
    /// A model alias, by name.
    ModelAlias(String),
    /// Model of children.
    ChildModel,
    /// Model of `llm()` calls.
    LlmModel,
    /// Model of the agents at a depth.
    ModelAtDepth(u32),
    /// Model of summaries.
    CompactionModel,
}

/// A setting that is displayed as its flag, without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Replacement of the root's prompt.
    SystemPromptFile,
    /// Name of the root.
    AgentName,
    /// Site or task of the root.
    Site,
    /// Persona of the root.
    Persona,
    /// Text appended to the root's prompt.
    AppendSystemPrompt,
    /// Changed descriptions of tools.
    ActionOverrides,
    /// Code sent as tool calls.
    CodeFormat,
    /// Responses stopped after their code.
    StopEarly,
    /// Settings of the web agent.
    WebAgent,
    /// Loose text in dumps of pages.
    DumpText,
    /// Extensions of page dumps.
    DumpAlso,
    /// Schema of the root's answer.
    AnswerSchema,
    /// How much of the REPL prompts describe.
    ReplApi,
    /// Compaction of long conversations.
    Compaction,
    /// Size at which compaction starts.
    CompactionAt,
    /// Number of recent turns that a summary keeps.
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

/// Formats the setting as on a command line.
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
    /// Returns the flag.
    pub const fn flag(self) -> &'static str {
        match self {
            Self::SystemPromptFile => "--system-prompt-file",
            Self::AgentName => "--agent-name",
            Self::Site => "--site",
            Self::Persona => "--persona",
            Self::AppendSystemPrompt => "--append-system-prompt",
            Self::ActionOverrides => "--action-overrides",
            Self::CodeFormat => "--code-format tool",
            Self::StopEarly => "--stop-early",
            Self::WebAgent => "--web-agent",
            Self::DumpText => "--dump-text all",
            Self::DumpAlso => "--dump-include",
            Self::AnswerSchema => "--answer-schema",
            Self::ReplApi => "--repl-api extended",
            Self::Compaction => "--compaction",
            Self::CompactionAt => "--compaction-at",
            Self::CompactionKeep => "--compaction-keep",
        }
    }
}

impl Claim {
    /// Returns the run with this setting reset to its default.
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

    /// Returns the other setting that implies the same value, if there is one.
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

    /// Whether the setting affects an agent of the run, whose agents receive `sent`.
    pub(super) fn is_live(&self, run: &Treatment, sent: &Sent) -> bool {
        if self.brought_by(run).is_some() {
            return false;
        }
        let without = self.removed(run).sent();
        match self {
            // Only the text of a definition labels the run, not the other properties in its file.
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
            Self::CodeFormat => run.code_via_tool = false,
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
