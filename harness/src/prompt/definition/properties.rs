//! A prompt definition and its properties. The comment of each field begins with the property's
//! name in files.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::fault::SourceLocation;
use super::schema::InputSchema;
use super::tool_settings::{ToolReference, tool_entries};
use crate::model::Effort;

/// A prompt with all settings of its requests, a fragment, or an agent with two sides.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    /// `name`: the name by which other definitions refer to it.
    pub name: String,
    /// Kind of the definition. A fragment has only `name` and `prompt`.
    #[serde(skip)]
    pub kind: Kind,
    /// `prompt`: the system prompt.
    pub prompt: PromptContent,
    /// `toolDescription`: description for models that can call it as a tool. Empty for a fragment.
    pub tool_description: String,
    /// Sides of an agent; `None` for prompts and fragments.
    #[serde(flatten, skip_deserializing)]
    pub sides: Option<Sides>,
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
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub required_schema: Option<InputSchema>,
    /// `tools`: tools, sub-prompts and agents that it may call.
    #[serde(skip_deserializing, serialize_with = "tool_entries")]
    pub tools: Vec<ToolReference>,
    /// `variables`: the environment variables that it reads.
    pub variables: Vec<Variable>,
    /// `env`: values of variables; every other source takes precedence.
    pub env: BTreeMap<String, String>,
    /// `reasoning`: reasoning settings of its requests, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Reasoning>,
    /// `recentImageThreshold`: number of newest messages whose images are kept; 10 by default.
    pub recent_image_threshold: NonZeroU32,
    /// `hooks`: names of its hooks, which replace those of the run; `None` keeps those of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Vec<String>>,
    /// Origin of the definition.
    #[serde(skip)]
    pub source: Source,
    /// SHA-256 (hex) of its file's text, with `\n` line endings and without a byte order mark.
    #[serde(skip)]
    pub digest: String,
    /// Line numbers of its values, by property (for example `tools[1].name`).
    #[serde(skip)]
    pub(super) lines: BTreeMap<String, u64>,
}

impl Definition {
    /// Returns the properties under the names used in files. Missing properties have their default,
    /// or are omitted if they have none.
    pub fn to_json(&self) -> Value {
        let mut json = json!(self);
        if let Value::Object(properties) = &mut json {
            properties.retain(|name, _| {
                self.kind
                    .properties()
                    .iter()
                    .any(|known| known.name == name)
            });
        }
        json
    }

    /// Returns the texts in `prompt`, each with its property. Included texts are omitted.
    pub(super) fn prompt_texts(&self) -> Vec<(String, &str)> {
        match &self.prompt {
            PromptContent::Text(text) => vec![("prompt".to_owned(), text)],
            PromptContent::Parts(parts) => (parts.iter().enumerate())
                .filter_map(|(at, part)| match part {
                    PromptPart::Text { content } => {
                        Some((format!("prompt[{at}].content"), content.as_str()))
                    }
                    PromptPart::Include { .. } => None,
                })
                .collect(),
        }
    }

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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sides {
    /// `type`: the type of the agent.
    #[serde(rename = "type")]
    pub kind: AgentType,
    /// `sideA`: name of a prompt.
    pub side_a: String,
    /// `sideB`: name of a prompt. Without it, an `ai_human` agent talks to the user of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side_b: Option<String>,
    /// `maxMessages`: maximum messages of both sides together for each message from the caller; 10
    /// by default.
    pub max_messages: NonZeroU32,
    /// `stopPhrase`: text in a message that ends the dialogue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_phrase: Option<String>,
}

/// Type of an agent with two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentType {
    /// `dual_ai`: both sides are prompts.
    DualAi,
    /// `ai_human`: side A is a prompt, and side B is a person or a prompt that plays one.
    AiHuman,
}

/// Origin of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Part of the program: `NAME.md`.
    Bundled(String),
    /// A user's file.
    File(PathBuf),
}

impl Default for Source {
    fn default() -> Self {
        Self::Bundled(String::new())
    }
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PromptContent {
    /// One text.
    Text(String),
    /// Concatenated parts.
    Parts(Vec<PromptPart>),
}

/// A part of a structured prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PromptPart {
    /// `type: text`: a literal text.
    Text {
        /// `content`: the text.
        content: String,
    },
    /// `type: include`: inserts the text of another definition.
    Include {
        /// `prompt`: name of the definition.
        prompt: String,
    },
}

/// Whether a model may or must call tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStrategy {
    /// The model decides whether to call tools.
    #[default]
    Auto,
    /// The model cannot call tools, and the request contains none.
    None,
    /// The model must call a tool.
    Required,
}

/// A variable that a prompt declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// `name`: name of the environment variable.
    pub name: String,
    /// `type`: whether it is a secret.
    #[serde(rename = "type")]
    pub kind: VariableType,
    /// `required`: whether the prompt can run only if it is set.
    pub required: bool,
    /// `description`: what the variable is for.
    pub description: String,
}

/// Type of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VariableType {
    /// Text that prompts and logs may contain.
    Text,
    /// A secret, which prompts and logs never contain.
    Secret,
}

/// Reasoning settings of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reasoning {
    /// `effort`: amount of reasoning: `low`, `medium` or `high`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// `maxTokens`: maximum reasoning tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<NonZeroU32>,
    /// `exclude`: whether the reasoning is omitted from the result; `false` by default.
    pub exclude: bool,
    /// `include`: whether the history keeps the reasoning; `false` by default.
    pub include: bool,
}
