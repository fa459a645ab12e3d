//! A prompt definition and its properties. The comment of each field begins with the property's
//! name in files.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::fault::SourceLocation;
use super::schema::InputSchema;

/// A prompt with all settings of its requests, a fragment, or an agent with two sides.
#[derive(Debug, Clone)]
pub struct Definition {
    /// `name`: the name by which other definitions refer to it.
    pub name: String,
    /// Kind of the definition. A fragment has only `name` and `prompt`.
    pub kind: Kind,
    /// `toolDescription`: description for models that can call it as a tool. Empty for a fragment.
    pub tool_description: String,
    /// `prompt`: the system prompt.
    pub prompt: PromptContent,
    /// `model`: an alias, `default` for the run's own model, or `PROVIDER/MODEL`. Empty for a
    /// fragment.
    pub model: String,
    /// `includeChat`: whether its requests include the whole chat history; `false` by default.
    pub include_chat: bool,
    /// `includePastTools`: whether its requests include past tool calls with their results; `false`
    /// by default.
    pub include_past_tools: bool,
    /// `parallelToolCalls`: whether one response may call several tools; `false` by default.
    pub parallel_tool_calls: bool,
    /// `toolChoice`: whether the model may or must call tools; `auto` by default.
    pub tool_choice: ToolStrategy,
    /// `requiredSchema`: JSON Schema of its input when it is called as a tool.
    pub required_schema: Option<InputSchema>,
    /// `tools`: tools, sub-prompts and agents that it may call.
    pub tools: Vec<ToolReference>,
    /// `variables`: the environment variables that it reads.
    pub variables: Vec<Variable>,
    /// `env`: values of variables; every other source takes precedence.
    pub env: BTreeMap<String, String>,
    /// `reasoning`: reasoning settings of its requests, if given.
    pub reasoning: Option<Reasoning>,
    /// `recentImageThreshold`: number of newest messages whose images are kept; 10 by default.
    pub recent_image_threshold: NonZeroU32,
    /// `hooks`: names of its hooks, which replace those of the run; `None` keeps those of the run.
    pub hooks: Option<Vec<String>>,
    /// Sides of an agent; `None` for prompts and fragments.
    pub sides: Option<Sides>,
    /// Origin of the definition.
    pub source: Source,
    /// SHA-256 (hex) of its file's text, with `\n` line endings and without a byte order mark.
    pub digest: String,
    /// Line numbers of its values, by property (for example `tools[1].name`).
    pub(super) lines: BTreeMap<String, u64>,
}

/// Default of [`Definition::recent_image_threshold`].
pub(super) const RECENT_IMAGE_THRESHOLD: NonZeroU32 = NonZeroU32::new(10).unwrap();

impl Definition {
    /// Whether it is from a user's file.
    pub const fn is_own(&self) -> bool {
        matches!(self.source, Source::File(_))
    }

    /// Returns the location of a property. If its line is unknown, the location has the line of the
    /// innermost enclosing property with a known one.
    pub fn place(&self, field: &str) -> SourceLocation {
        let mut known = field;
        loop {
            if let Some(line) = self.lines.get(known) {
                return self.place_on(Some(*line), field);
            }
            match known.rfind(['.', '[']) {
                Some(end) => known = &known[..end],
                None => return self.place_on(None, field),
            }
        }
    }

    fn place_on(&self, line: Option<u64>, field: &str) -> SourceLocation {
        SourceLocation {
            file: self.source.to_string(),
            line,
            field: field.to_owned(),
        }
    }
}

/// Kind of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A prompt, which can be run and called as a tool.
    Prompt,
    /// A fragment, which has only a name and a text that other definitions include.
    Fragment,
    /// An agent: a dialogue between two prompts, or between a prompt and a person. It can be called
    /// as a tool.
    Agent,
}

impl Kind {
    /// Returns the name of the kind.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Fragment => "fragment",
            Self::Agent => "agent",
        }
    }

    /// Whether other definitions may list it in their `tools`.
    pub const fn can_be_called(self) -> bool {
        matches!(self, Self::Prompt | Self::Agent)
    }
}

/// The two sides of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    /// `type`: the type of the agent.
    pub kind: AgentType,
    /// `sideA`: name of a prompt.
    pub side_a: String,
    /// `sideB`: name of a prompt. Without it, an `ai_human` agent talks to the user of the program.
    pub side_b: Option<String>,
    /// `maxMessages`: maximum messages of both sides together for each message from the caller; 10
    /// by default.
    pub max_messages: NonZeroU32,
    /// `stopPhrase`: text in a message that ends the dialogue.
    pub stop_phrase: Option<String>,
}

/// Type of an agent with two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentType {
    /// `dual_ai`: both sides are prompts.
    DualAi,
    /// `ai_human`: side A is a prompt, and side B is a person or a prompt that plays one.
    AiHuman,
}

impl AgentType {
    /// All types, in the order of the specification.
    pub const ALL: [Self; 2] = [Self::DualAi, Self::AiHuman];

    /// Returns the name of the type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DualAi => "dual_ai",
            Self::AiHuman => "ai_human",
        }
    }
}

/// Default of [`Sides::max_messages`].
pub(super) const MAX_MESSAGES: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Origin of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Part of the program: `NAME.md`.
    Bundled(String),
    /// A user's file.
    File(PathBuf),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bundled(file) => write!(f, "bundled {file}"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// Content of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptContent {
    /// One text.
    Text(String),
    /// Concatenated parts.
    Parts(Vec<PromptPart>),
}

/// A part of a structured prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptPart {
    /// `type: text`: a literal text, in the property `content`.
    Text(String),
    /// `type: include`: inserts the `prompt` of the definition with this name.
    Include(String),
}

/// Whether a model may or must call tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolStrategy {
    /// The model decides whether to call tools.
    #[default]
    Auto,
    /// The model cannot call tools, and the request contains none.
    None,
    /// The model must call a tool.
    Required,
}

impl ToolStrategy {
    /// All strategies, in the order of the specification.
    pub const ALL: [Self; 3] = [Self::Auto, Self::None, Self::Required];

    /// Returns the name of the strategy.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::None => "none",
            Self::Required => "required",
        }
    }
}

/// An entry of `tools`.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReference {
    /// Name of the tool, prompt or agent.
    pub name: String,
    /// Configuration of the entry.
    pub form: ToolForm,
}

/// Configuration of an entry of `tools`.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolForm {
    /// Only a name, for a tool or prompt with default settings.
    Plain,
    /// A tool with settings.
    Tool(ToolSettings),
    /// A prompt or agent that is called like a function.
    Subprompt(SubpromptSettings),
    /// A child agent, which may run in the background, start with its caller or accept messages.
    Subagent(SubagentSettings),
}

/// Settings of a tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolSettings {
    /// `env`: values of its variables.
    pub env: BTreeMap<String, String>,
    /// `options`: values that the tool receives in addition to its arguments.
    pub options: Map<String, Value>,
}

/// Settings of a prompt that is called as a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubpromptSettings {
    /// `includeTextResponse`: whether the result contains its text response; `true` by default.
    pub include_text_response: bool,
    /// `includeToolCalls`: whether the result contains its tool calls and their results; `true` by
    /// default.
    pub include_tool_calls: bool,
    /// `includeErrors`: whether the result contains its errors; `true` by default.
    pub include_errors: bool,
    /// `initUserMessageProperty`: argument that becomes its first user message.
    pub init_user_message_property: Option<String>,
    /// `initAttachmentsProperty`: argument with one or more paths of files to attach to that
    /// message.
    pub init_attachments_property: Option<String>,
}

impl Default for SubpromptSettings {
    fn default() -> Self {
        Self {
            include_text_response: true,
            include_tool_calls: true,
            include_errors: true,
            init_user_message_property: None,
            init_attachments_property: None,
        }
    }
}

/// Settings of a child agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentSettings {
    /// `blocking`: whether the caller waits for it; `true` by default.
    pub blocking: bool,
    /// `initUserMessageProperty`: argument that becomes its first user message.
    pub init_user_message_property: Option<String>,
    /// `initAttachmentsProperty`: argument with one or more paths of files to attach to that
    /// message.
    pub init_attachments_property: Option<String>,
    /// `initAgentNameProperty`: argument with the name of the new agent.
    pub init_agent_name_property: Option<String>,
    /// `immediate`: whether it starts together with its caller, and with which input; `false` by
    /// default.
    pub immediate: Option<Immediate>,
    /// `optional`: variable that must be set; otherwise the agent is omitted.
    pub optional: Option<String>,
    /// `resumable`: whether it accepts further messages, and how; `false` by default.
    pub resumable: Option<Resumable>,
}

impl SubagentSettings {
    /// Returns the settings that are invalid if `child` is listed in the `tools` of `of`: each
    /// property with the reason.
    pub fn faults(&self, of: &Definition, child: &Definition) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let is_secret = |name: &Option<String>| {
            let mut declared = of.variables.iter();
            declared.any(|variable| {
                variable.kind == VariableType::Secret && Some(&variable.name) == name.as_ref()
            })
        };
        if let Some(immediate) = &self.immediate {
            for (property, name) in [
                ("immediate.nameEnv", &immediate.name_env),
                ("immediate.descriptionEnv", &immediate.description_env),
            ] {
                if is_secret(name) {
                    let problem = "is a secret, which must not be passed to an agent";
                    faults.push((property, problem.to_owned()));
                }
            }
            for name in &immediate.scoped_env {
                let mut of_child = child.variables.iter();
                let is_text = of_child
                    .any(|variable| variable.name == *name && variable.kind == VariableType::Text);
                if is_text && is_secret(&Some(name.clone())) {
                    let problem =
                        format!("`{name}` is a secret here and a text in `{}`", child.name);
                    faults.push(("immediate.scopedEnv", problem));
                }
            }
        }
        let side_b = child.sides.as_ref().and_then(|sides| sides.side_b.as_ref());
        if let Some(resumable) = &self.resumable
            && resumable.receives_messages == Side::B
            && side_b.is_none()
        {
            let problem = format!(
                "`{}` has no side B that is an agent; expected `side_a`",
                child.name
            );
            faults.push(("resumable.receives_messages", problem));
        }
        faults
    }
}

impl Default for SubagentSettings {
    fn default() -> Self {
        Self {
            blocking: true,
            init_user_message_property: None,
            init_attachments_property: None,
            init_agent_name_property: None,
            immediate: None,
            optional: None,
            resumable: None,
        }
    }
}

/// Name and input of a child that starts together with its caller; all empty for `immediate: true`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Immediate {
    /// `nameEnv`: variable that contains its name.
    pub name_env: Option<String>,
    /// `descriptionEnv`: variable that contains its task.
    pub description_env: Option<String>,
    /// `scopedEnv`: variables that are passed to it.
    pub scoped_env: Vec<String>,
}

/// Settings of a child that accepts further messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumable {
    /// `receives_messages`: side that receives the messages.
    pub receives_messages: Side,
    /// `maxInstances`: maximum open instances per caller.
    pub max_instances: Option<NonZeroU32>,
    /// `parentCommunication`: what the caller receives.
    pub parent_communication: Option<ParentCommunication>,
}

/// A side of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// `side_a`
    A,
    /// `side_b`
    B,
}

/// How a child communicates with its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParentCommunication {
    /// `implicit`: the caller receives the child's answers.
    Implicit,
    /// `explicit`: the caller receives only the messages that the child sends.
    Explicit,
}

/// A variable that a prompt declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// `name`: name of the environment variable.
    pub name: String,
    /// `type`: whether it is a secret.
    pub kind: VariableType,
    /// `required`: whether the prompt can run only if it is set.
    pub required: bool,
    /// `description`: what the variable is for.
    pub description: String,
}

/// Type of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableType {
    /// Text that prompts and logs may contain.
    Text,
    /// A secret, which prompts and logs never contain.
    Secret,
}

/// Reasoning settings of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reasoning {
    /// `effort`: amount of reasoning.
    pub effort: Option<Effort>,
    /// `maxTokens`: maximum reasoning tokens.
    pub max_tokens: Option<NonZeroU32>,
    /// `exclude`: whether the reasoning is omitted from the result; `false` by default.
    pub exclude: bool,
    /// `include`: whether the history keeps the reasoning; `false` by default.
    pub include: bool,
}

/// Reasoning effort of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// `low`
    Low,
    /// `medium`
    Medium,
    /// `high`
    High,
}

impl Effort {
    /// All efforts, in ascending order.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// Returns the name of the effort.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
