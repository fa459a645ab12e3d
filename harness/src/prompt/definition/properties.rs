//! A prompt definition and its properties. The names in files are those in parentheses, in camelCase.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::fault::Place;
use super::schema::InputSchema;

/// A prompt, and all that a request made from it depends on.
#[derive(Debug, Clone)]
pub struct Definition {
    /// `name`: what others call it.
    pub name: String,
    /// What it is. Of a fragment, only `name` and `prompt` mean anything.
    pub kind: Kind,
    /// `toolDescription`: its description for models that may call it as a tool. Empty for a fragment.
    pub tool_description: String,
    /// `prompt`: the system prompt.
    pub prompt: PromptContent,
    /// `model`: an alias, `default` for the run's own model, or `PROVIDER/MODEL`. Empty for a fragment.
    pub model: String,
    /// `includeChat`: whether it sees the whole chat history; default false.
    pub include_chat: bool,
    /// `includePastTools`: whether it sees the results of past tool calls; default false.
    pub include_past_tools: bool,
    /// `parallelToolCalls`: whether one response may call several tools; default false.
    pub parallel_tool_calls: bool,
    /// `toolChoice`: default `auto`.
    pub tool_choice: ToolStrategy,
    /// `requiredSchema`: what it takes when it is called as a tool.
    pub required_schema: Option<InputSchema>,
    /// `tools`: tools, sub-prompts and agents that it may call.
    pub tools: Vec<ToolReference>,
    /// `variables`: what it reads from the environment.
    pub variables: Vec<Variable>,
    /// `env`: values of variables, over which every other source goes.
    pub env: BTreeMap<String, String>,
    /// `reasoning`.
    pub reasoning: Option<Reasoning>,
    /// `recentImageThreshold`: newest messages whose images are kept; default 10.
    pub recent_image_threshold: NonZeroU32,
    /// `hooks`: the hooks that run for it, and no others; none given means those of the run.
    pub hooks: Option<Vec<String>>,
    /// What an agent of two sides has in place of a prompt.
    pub sides: Option<Sides>,
    /// Where it comes from.
    pub source: Source,
    /// SHA-256 (hex) of its file.
    pub digest: String,
    /// The lines on which its values stand, by property (`tools[1].name`).
    pub(super) lines: BTreeMap<String, u64>,
}

/// Images of that many newest messages are kept where a definition does not say otherwise.
pub(super) const RECENT_IMAGE_THRESHOLD: NonZeroU32 = NonZeroU32::new(10).unwrap();

impl Definition {
    /// Whether it is of a user's file.
    pub const fn is_own(&self) -> bool {
        matches!(self.source, Source::File(_))
    }

    /// Where a property, or a value inside of one, was read: the nearest that is known.
    pub fn place(&self, field: &str) -> Place {
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

    fn place_on(&self, line: Option<u64>, field: &str) -> Place {
        Place {
            file: self.source.to_string(),
            line,
            field: field.to_owned(),
        }
    }
}

/// What a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It can be run, and called as a tool.
    Prompt,
    /// It has a name and a text alone: others include it.
    Fragment,
    /// Two prompts that talk with each other, or one and a person. It can be called as a tool.
    Agent,
}

impl Kind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Fragment => "fragment",
            Self::Agent => "agent",
        }
    }

    /// Whether others may list it in their `tools`.
    pub const fn can_be_called(self) -> bool {
        matches!(self, Self::Prompt | Self::Agent)
    }
}

/// An agent of two sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    /// `type`
    pub kind: AgentType,
    /// `sideA`: a prompt.
    pub side_a: String,
    /// `sideB`: a prompt. An `ai_human` agent without it talks with whoever sits at the program.
    pub side_b: Option<String>,
    /// `maxMessages`: how many messages the sides say, both together, to one of their caller; default 10.
    pub max_messages: NonZeroU32,
    /// `stopPhrase`: a message that contains it ends the talk.
    pub stop_phrase: Option<String>,
}

/// Who talks in an agent of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentType {
    /// `dual_ai`: two prompts.
    DualAi,
    /// `ai_human`: a prompt and a person.
    AiHuman,
}

impl AgentType {
    /// Both, in the order of the specification.
    pub const ALL: [Self; 2] = [Self::DualAi, Self::AiHuman];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DualAi => "dual_ai",
            Self::AiHuman => "ai_human",
        }
    }
}

/// Messages of the sides of an agent to one of their caller, where its definition does not say.
pub(super) const MAX_MESSAGES: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Where a definition comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// It is part of the program: `NAME.md`.
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

/// The text of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptContent {
    /// One text.
    Text(String),
    /// Parts, one after the other with nothing between.
    Parts(Vec<PromptPart>),
}

/// A part of a structured prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptPart {
    /// `type: text`: its `content`.
    Text(String),
    /// `type: include`: the `prompt` of the definition of this name.
    Include(String),
}

/// Whether a model calls tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolStrategy {
    /// As it decides.
    #[default]
    Auto,
    /// Never: none is sent to it.
    None,
    /// It has to.
    Required,
}

impl ToolStrategy {
    /// Every strategy, in the order of the specification.
    pub const ALL: [Self; 3] = [Self::Auto, Self::None, Self::Required];

    /// The word for it.
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
    /// The tool, prompt or agent.
    pub name: String,
    /// How it is configured.
    pub form: ToolForm,
}

/// How an entry of `tools` is configured.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolForm {
    /// A name alone, for a tool or a prompt with its defaults.
    Plain,
    /// A tool with values of its own.
    Tool(ToolSettings),
    /// A prompt or agent that is called.
    Subprompt(SubpromptSettings),
    /// An agent that is a child.
    Subagent(SubagentSettings),
}

/// Configuration of a tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolSettings {
    /// `env`: values of its variables.
    pub env: BTreeMap<String, String>,
    /// `options`: fixed options.
    pub options: Map<String, Value>,
}

/// Configuration of a prompt that is called as a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubpromptSettings {
    /// `includeTextResponse`: whether the result has its text; default true.
    pub include_text_response: bool,
    /// `includeToolCalls`: whether the result has its tool calls with their results; default true.
    pub include_tool_calls: bool,
    /// `includeErrors`: whether the result has its errors; default true.
    pub include_errors: bool,
    /// `initUserMessageProperty`: the argument that becomes its first user message.
    pub init_user_message_property: Option<String>,
    /// `initAttachmentsProperty`: the argument whose path or paths are attached to that message.
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

/// Configuration of an agent that is a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentSettings {
    /// `blocking`: whether the caller waits for it; default true.
    pub blocking: bool,
    /// `initUserMessageProperty`: the argument that becomes its first user message.
    pub init_user_message_property: Option<String>,
    /// `initAttachmentsProperty`: the argument whose path or paths are attached to that message.
    pub init_attachments_property: Option<String>,
    /// `initAgentNameProperty`: the argument that names it.
    pub init_agent_name_property: Option<String>,
    /// `immediate`: whether it starts with its caller; default false.
    pub immediate: Option<Immediate>,
    /// `optional`: the variable without which it is left out.
    pub optional: Option<String>,
    /// `resumable`: whether it can be spoken to again; default false.
    pub resumable: Option<Resumable>,
}

impl SubagentSettings {
    /// What of it cannot be run where `of` lists `child` with it: the property, and why.
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
                    let problem = "is a secret, which no agent may be told";
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

/// How a child that starts with its caller is named and what it gets; `immediate: true` is one with nothing set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Immediate {
    /// `nameEnv`: the variable that names it.
    pub name_env: Option<String>,
    /// `descriptionEnv`: the variable that says what it is to do.
    pub description_env: Option<String>,
    /// `scopedEnv`: the variables that it is given.
    pub scoped_env: Vec<String>,
}

/// A child that can be spoken to again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumable {
    /// `receives_messages`.
    pub receives_messages: Side,
    /// `maxInstances`.
    pub max_instances: Option<NonZeroU32>,
    /// `parentCommunication`.
    pub parent_communication: Option<ParentCommunication>,
}

/// A side of an agent that talks with itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// `side_a`
    A,
    /// `side_b`
    B,
}

/// How a child speaks to its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParentCommunication {
    /// `implicit`
    Implicit,
    /// `explicit`
    Explicit,
}

/// A variable that a prompt declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// `name`
    pub name: String,
    /// `type`
    pub kind: VariableType,
    /// `required`: whether the prompt cannot run without it.
    pub required: bool,
    /// `description`
    pub description: String,
}

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableType {
    /// Text that may be shown.
    Text,
    /// A value that reaches no prompt and no log.
    Secret,
}

/// How a model reasons.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reasoning {
    /// `effort`
    pub effort: Option<Effort>,
    /// `maxTokens`
    pub max_tokens: Option<NonZeroU32>,
    /// `exclude`: whether the reasoning is left out of what is returned; default false.
    pub exclude: bool,
    /// `include`: whether the reasoning stays in the history; default false.
    pub include: bool,
}

/// How much a model reasons.
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
    /// Every effort, the least first.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
