//! Responses as parsed from any wire format, and the parts of responses that the formats share.

use std::collections::HashSet;

use serde_json::Value;

use super::json_fields::{items, text};
use super::sse::SseEvent;
use crate::model::{ToolCall, lenient_json};
use crate::provider::{Request, Response};

/// A parsed response and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ParsedResponse {
    pub response: Response,
    pub end: ResponseEnd,
}

/// How a response ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ResponseEnd {
    /// The model finished.
    Complete,
    /// The response was cut off at the output token limit.
    Length,
    /// The model's context window was full.
    ContextFull,
    /// A filter withheld the response, or the model refused. Contains the server's message.
    Filter(String),
    /// The server failed while responding. Contains the server's message. A retry may succeed.
    Failed(String),
    /// The response is incomplete, and a retry would not change that. Contains the server's
    /// message.
    Unfinished(String),
}

impl ResponseEnd {
    /// Returns the severity of the ending, to choose the worst of several. Endings that lead to a
    /// retry are the worst.
    pub const fn rank(&self) -> u8 {
        match self {
            Self::Complete => 0,
            Self::Length => 1,
            Self::ContextFull => 2,
            Self::Filter(_) => 3,
            Self::Unfinished(_) => 4,
            Self::Failed(_) => 5,
        }
    }

    /// Returns the ending of a response without a finish reason: complete if the response has
    /// content, otherwise failed.
    pub fn without_finish_reason(response: &Response) -> Self {
        if response.text.trim().is_empty() && response.tool_calls.is_empty() {
            Self::Failed("empty response without a finish reason".to_owned())
        } else {
            Self::Complete
        }
    }
}

/// A response that is being assembled from events.
pub(super) trait Assembly: Send {
    /// Processes an event and returns whether it was the last one.
    ///
    /// # Errors
    /// Returns a description of the problem.
    fn take(&mut self, event: &SseEvent) -> Result<bool, String>;

    /// Returns the text received so far, without reasoning.
    fn text(&self) -> &str;

    /// Returns the response received so far, in the format of a response that is not streamed. With
    /// `complete`, returns `None` if the end is missing.
    fn whole(&self, complete: bool) -> Option<Value>;
}

/// Parses the data of an event. Unpaired surrogates remain marked, so that they can be joined when
/// the response is complete.
///
/// # Errors
/// Returns a description of the problem.
pub(super) fn parse_event(event: &SseEvent) -> Result<Value, String> {
    lenient_json::piece(&event.data).map_err(|error| format!("an event is not JSON: {error}"))
}

/// Replaces ids of tool calls that are missing or not unique in the conversation.
pub(super) fn make_call_ids_unique(response: &mut Response, request: &Request) {
    let earlier = request
        .messages
        .iter()
        .flat_map(|message| &message.tool_calls);
    let mut known: HashSet<String> = earlier.map(|call| call.id.clone()).collect();
    // The request has fewer messages than the conversation if it was shortened.
    let turn = request.caller.turn as usize;
    let first = request.messages.len().max((2 * turn).saturating_sub(1));
    for (index, call) in response.tool_calls.iter_mut().enumerate() {
        if call.id.is_empty() || known.contains(&call.id) {
            let mut ids = (first..).map(|number| format!("call_{number}_{index}"));
            call.id = ids.find(|id| !known.contains(id)).unwrap_or_default();
        }
        known.insert(call.id.clone());
    }
}

/// Creates a tool call from its fields, or returns `None` if the name is missing.
pub(super) fn call(id: &Value, name: &Value, arguments: &Value) -> Option<ToolCall> {
    let name = text(name);
    (!name.is_empty()).then(|| ToolCall {
        id: text(id).to_owned(),
        name: name.to_owned(),
        arguments: match arguments {
            Value::Null => String::new(),
            Value::String(arguments) => lenient_json::valid(arguments).into_owned(),
            other => other.to_string(),
        },
    })
}

/// Contents of a message's parts, by kind.
#[derive(Default)]
pub(super) struct ContentParts {
    pub text: String,
    pub refusal: String,
    pub thoughts: String,
}

/// Parses the content of a message, which is a string or a list of parts.
pub(super) fn said(content: &Value) -> ContentParts {
    let mut said = ContentParts {
        text: text(content).to_owned(),
        ..ContentParts::default()
    };
    for part in items(content) {
        match &part["type"] {
            Value::Null => {
                said.text.push_str(text(&part["text"]));
                said.refusal.push_str(text(&part["refusal"]));
            }
            kind if kind == "text" || kind == "output_text" => {
                said.text.push_str(text(&part["text"]));
            }
            kind if kind == "refusal" => {
                let words = [&part["refusal"], &part["text"]].map(text);
                let words = words.into_iter().find(|words| !words.is_empty());
                // An empty part is also a refusal.
                said.refusal.push_str(words.unwrap_or("refusal"));
            }
            kind if kind == "thinking" || kind == "reasoning" => {
                for field in ["thinking", "reasoning", "text"] {
                    said.thoughts.push_str(text(&part[field]));
                    let inner = items(&part[field]).iter();
                    said.thoughts.extend(inner.map(|part| text(&part["text"])));
                }
            }
            _ => {}
        }
    }
    said
}

/// Returns the text, or `None` if it is blank.
pub(super) fn unless_blank(text: String) -> Option<String> {
    (!text.trim().is_empty()).then_some(text)
}
