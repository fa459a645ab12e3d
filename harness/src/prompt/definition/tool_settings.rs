//! Entries of the property `tools` with their settings.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

/// Serializes entries of `tools`: those without settings as a name.
pub(super) fn tool_entries<S: Serializer>(
    tools: &[ToolReference],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(tools.iter().map(|tool| match tool.form {
        ToolForm::Plain => json!(tool.name),
        _ => json!(tool),
    }))
}

/// Serializes a missing value as `false`.
#[expect(clippy::ref_option, reason = "the signature that serde calls")]
fn or_false<T: Serialize, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => value.serialize(serializer),
        None => serializer.serialize_bool(false),
    }
}

/// An entry of `tools`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolReference {
    /// Name of the tool, prompt or agent.
    pub name: String,
    /// Configuration of the entry.
    #[serde(flatten)]
    pub form: ToolForm,
}

/// Configuration of an entry of `tools`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolSettings {
    /// `env`: values of its variables.
    pub env: BTreeMap<String, String>,
    /// `options`: values that the tool receives in addition to its arguments.
    pub options: Map<String, Value>,
}

/// Settings of a prompt that is called as a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubpromptSettings {
    /// `includeTextResponse`: whether the result contains its text response; `true` by default.
    pub include_text_response: bool,
    /// `includeToolCalls`: whether the result contains its tool calls and their results; `true` by
    /// default.
    pub include_tool_calls: bool,
    /// `includeErrors`: whether the result contains its errors; `true` by default.
    pub include_errors: bool,
    /// `initUserMessageProperty`: argument that becomes its first user message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init_user_message_property: Option<String>,
    /// `initAttachmentsProperty`: argument with one or more paths of files to attach to that
    /// message.
    #[serde(skip_serializing_if = "Option::is_none")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubagentSettings {
    /// `blocking`: whether the caller waits for it; `true` by default.
    pub blocking: bool,
    /// `initUserMessageProperty`: argument that becomes its first user message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init_user_message_property: Option<String>,
    /// `initAttachmentsProperty`: argument with one or more paths of files to attach to that
    /// message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init_attachments_property: Option<String>,
    /// `initAgentNameProperty`: argument with the name of the new agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init_agent_name_property: Option<String>,
    /// `immediate`: whether it starts together with its caller, and with which input; `false` by
    /// default.
    #[serde(serialize_with = "or_false")]
    pub immediate: Option<Immediate>,
    /// `optional`: variable that must be set; otherwise the agent is omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional: Option<String>,
    /// `resumable`: whether it accepts further messages, and how; `false` by default.
    #[serde(serialize_with = "or_false")]
    pub resumable: Option<Resumable>,
}

/// Name and input of a child that starts together with its caller; all empty for `immediate: true`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Immediate {
    /// `nameEnv`: variable that contains its name.
    pub name_env: Option<String>,
    /// `descriptionEnv`: variable that contains its task.
    pub description_env: Option<String>,
    /// `scopedEnv`: variables that are passed to it.
    pub scoped_env: Vec<String>,
}

/// Settings of a child that accepts further messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resumable {
    /// `receives_messages`: side that receives the messages.
    #[serde(rename = "receives_messages")]
    pub receives_messages: Side,
    /// `maxInstances`: maximum open instances per caller.
    pub max_instances: Option<NonZeroU32>,
    /// `parentCommunication`: what the caller receives.
    pub parent_communication: Option<ParentCommunication>,
}

/// A side of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// `side_a`
    #[serde(rename = "side_a")]
    A,
    /// `side_b`
    #[serde(rename = "side_b")]
    B,
}

/// How a child communicates with its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParentCommunication {
    /// `implicit`: the caller receives the child's answers.
    Implicit,
    /// `explicit`: the caller receives only the messages that the child sends.
    Explicit,
}
