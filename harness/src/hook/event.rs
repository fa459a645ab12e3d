//! Events that hooks handle.

use serde::Serialize;

use crate::model::{Message, ToolCall};

/// Event that a hook handles. In JavaScript, the handler's argument has the same fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum HookEvent {
    /// `before_request`: a request will be sent. Changes apply only to this request, not to the
    /// conversation.
    BeforeRequest {
        /// System prompt.
        system: String,
        /// Messages, oldest first.
        messages: Vec<Message>,
    },
    /// `after_response`: a model has responded.
    AfterResponse {
        /// Text of the response.
        text: String,
        /// Reasoning that the model returned separately from the text.
        reasoning: Option<String>,
        /// Tool calls. The calls that the hook returns are executed.
        tool_calls: Vec<ToolCall>,
    },
    /// `before_message`: a message from the model or the harness will be added to the conversation.
    BeforeMessage {
        /// The message.
        message: Message,
    },
    /// `before_tool_result`, `after_tool_success` and `after_tool_failure`: a tool has returned.
    Tool {
        /// Stage of the result, which determines which of the three events this is.
        #[serde(skip)]
        stage: ToolStage,
        /// Name of the tool.
        tool: String,
        /// Arguments as the model wrote them.
        arguments: String,
        /// Result for the model.
        content: String,
    },
}

/// Stage in the handling of a tool's result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolStage {
    /// The tool succeeded.
    #[default]
    Succeeded,
    /// The tool failed.
    Failed,
    /// The result will be stored in the conversation.
    ToBeStored,
}

impl HookEvent {
    /// Names of all events, in order of occurrence.
    pub const NAMES: [&'static str; 6] = [
        "before_message",
        "before_request",
        "after_response",
        "after_tool_success",
        "after_tool_failure",
        "before_tool_result",
    ];

    /// Names of the events for tool results.
    pub const OF_TOOLS: [&'static str; 3] = [
        "after_tool_success",
        "after_tool_failure",
        "before_tool_result",
    ];

    /// Returns the name of the event, which is also the name of its handler.
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

    /// Returns the event as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        // Cannot fail, because all keys are strings.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Returns the event with the fields in `changes` replaced.
    ///
    /// # Errors
    /// Returns a message about a field that is unknown or has an invalid value.
    pub fn changed(&self, changes: serde_json::Value) -> Result<Self, String> {
        let serde_json::Value::Object(changes) = changes else {
            return Err("it did not return an object".to_owned());
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

    /// Applies `change` to the texts of the event, but not to names, to the arguments in
    /// [`HookEvent::Tool`], and to responses, because the calls in a response are executed and its
    /// answer is scored.
    pub(super) fn map_texts(&mut self, change: impl Fn(&str) -> String) {
        let each = |text: &mut String| *text = change(text);
        match self {
            Self::BeforeRequest { system, messages } => {
                each(system);
                for message in messages {
                    map_message(message, &each);
                }
            }
            Self::BeforeMessage { message } => map_message(message, &each),
            Self::AfterResponse { .. } => {}
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
