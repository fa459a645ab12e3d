//! The events that hooks handle.

use serde::Serialize;

use crate::model::{Message, ToolCall};

/// An event in an agent's work. In JavaScript, its fields are those of the function's argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum HookEvent {
    /// `before_request`: a request is to be sent. The conversation itself stays as it is.
    BeforeRequest {
        /// The system prompt.
        system: String,
        /// The messages, oldest first.
        messages: Vec<Message>,
    },
    /// `after_response`: a model has answered.
    AfterResponse {
        /// The text.
        text: String,
        /// Reasoning apart from the text.
        reasoning: Option<String>,
        /// Tool calls, which are made as they leave the hook.
        tool_calls: Vec<ToolCall>,
    },
    /// `before_message`: a message is to join the conversation, the agent's or the harness's.
    BeforeMessage {
        /// The message.
        message: Message,
    },
    /// `before_tool_result`, `after_tool_success` and `after_tool_failure`: a tool has answered.
    Tool {
        /// Which of the three.
        #[serde(skip)]
        stage: ToolStage,
        /// The tool's name.
        tool: String,
        /// The arguments, as the model wrote them.
        arguments: String,
        /// What the model is to read.
        content: String,
    },
}

/// How far a tool's result has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolStage {
    /// The tool succeeded.
    #[default]
    Succeeded,
    /// The tool failed.
    Failed,
    /// Its result is to be stored.
    ToBeStored,
}

/// What a hook lets pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// The event, changed or not.
    pub event: HookEvent,
    /// What it says for the records.
    pub notes: Vec<String>,
}

impl HookEvent {
    /// The names of all events, in the order in which they come.
    pub const NAMES: [&'static str; 6] = [
        "before_message",
        "before_request",
        "after_response",
        "after_tool_success",
        "after_tool_failure",
        "before_tool_result",
    ];

    /// The names of those that come for an agent that calls tools, and for no other.
    pub const OF_TOOLS: [&'static str; 3] = [
        "after_tool_success",
        "after_tool_failure",
        "before_tool_result",
    ];

    /// Its name: that of the function which a hook has for it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::BeforeMessage { .. } => "before_message",
            Self::BeforeRequest { .. } => "before_request",
            Self::AfterResponse { .. } => "after_response",
            Self::Tool { stage, .. } => match stage {
                ToolStage::Succeeded => "after_tool_success",
                ToolStage::Failed => "after_tool_failure",
                ToolStage::ToBeStored => "before_tool_result",
            },
        }
    }

    /// The event as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        // Strings, lists and numbers alone.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The same event with what a hook made of it: the fields that `changes` has.
    ///
    /// # Errors
    /// What does not fit.
    pub fn changed(&self, changes: serde_json::Value) -> Result<Self, String> {
        let serde_json::Value::Object(changes) = changes else {
            return Err("it returned no object".to_owned());
        };
        let mut fields = self.to_json();
        for (name, value) in changes {
            match fields.get_mut(&name) {
                Some(field) => *field = value,
                None => return Err(format!("it returned an unknown field `{name}`")),
            }
        }
        let read = |error: serde_json::Error| error.to_string();
        Ok(match self {
            Self::BeforeRequest { .. } => Self::BeforeRequest {
                system: serde_json::from_value(fields["system"].take()).map_err(read)?,
                messages: serde_json::from_value(fields["messages"].take()).map_err(read)?,
            },
            Self::BeforeMessage { .. } => Self::BeforeMessage {
                message: serde_json::from_value(fields["message"].take()).map_err(read)?,
            },
            Self::AfterResponse { .. } => Self::AfterResponse {
                text: serde_json::from_value(fields["text"].take()).map_err(read)?,
                reasoning: serde_json::from_value(fields["reasoning"].take()).map_err(read)?,
                tool_calls: serde_json::from_value(fields["tool_calls"].take()).map_err(read)?,
            },
            Self::Tool {
                stage,
                tool,
                arguments,
                ..
            } => Self::Tool {
                stage: *stage,
                tool: tool.clone(),
                arguments: arguments.clone(),
                content: serde_json::from_value(fields["content"].take()).map_err(read)?,
            },
        })
    }

    /// Changes every text in which data may stand.
    pub fn map_texts(&mut self, change: impl Fn(&str) -> String) {
        let each = |text: &mut String| *text = change(text);
        match self {
            Self::BeforeRequest { system, messages } => {
                each(system);
                for message in messages {
                    map_message(message, &each);
                }
            }
            Self::BeforeMessage { message } => map_message(message, &each),
            Self::AfterResponse {
                text,
                reasoning,
                tool_calls,
            } => {
                each(text);
                reasoning.iter_mut().for_each(&each);
                for call in tool_calls {
                    each(&mut call.arguments);
                }
            }
            Self::Tool { content, .. } => each(content),
        }
    }
}

fn map_message(message: &mut Message, each: &impl Fn(&mut String)) {
    each(&mut message.content);
    for result in &mut message.tool_results {
        each(&mut result.content);
    }
    for call in &mut message.tool_calls {
        each(&mut call.arguments);
    }
}
