//! Native tool calls: the tools that a model is offered, its calls, and their results.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::lenient_json;

/// The tools of a request. None at all by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ToolUse {
    /// What the model may call. Empty: nothing of tools is sent.
    pub specs: Arc<[ToolSpec]>,
    /// Whether it may, must not or must call.
    pub choice: ToolChoice,
    /// Whether one response may hold several calls.
    pub parallel: bool,
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Letters, digits, `_` and `-`, at most 64: what all formats take.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// JSON Schema of its arguments, which are an object.
    pub parameters: Value,
}

/// Whether a model calls tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// Not at all: nothing of tools is sent.
    None,
    /// At least one.
    Required,
    /// This one. A model that thinks cannot be forced at every server; there it is as `Auto`.
    Forced(String),
}

/// A call that a model made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolCall {
    /// What its result refers to; differs from those of all other calls of the conversation.
    pub id: String,
    /// The tool, which need not exist.
    pub name: String,
    /// JSON text as the model wrote it, which need not be JSON.
    pub arguments: String,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call's id.
    pub call: String,
    /// What the model reads.
    pub content: String,
    /// Whether the call failed. The content says so, too: not every format has a word for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolUse {
    /// Whether anything of tools is sent.
    pub fn is_off(&self) -> bool {
        self.specs.is_empty() || self.choice == ToolChoice::None
    }
}

impl ToolCall {
    /// The arguments as an object, in which nothing is lost: none are `{}`, and what is no JSON object is its field
    /// `arguments`.
    pub fn input(&self) -> Map<String, Value> {
        if self.arguments.trim().is_empty() {
            return Map::new();
        }
        match lenient_json::from_str(&self.arguments) {
            Ok(Value::Object(input)) => input,
            _ => Map::from_iter([("arguments".to_owned(), self.arguments.clone().into())]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ToolCall;

    #[test]
    fn arguments_are_an_object_in_any_case() {
        let rows = [
            ("", "{}"),
            (" \n", "{}"),
            ("{\"a\": 1}", "{\"a\":1}"),
            ("[1]", "{\"arguments\":\"[1]\"}"),
            ("{\"a\": ", "{\"arguments\":\"{\\\"a\\\": \"}"),
        ];
        for (arguments, expected) in rows {
            let call = ToolCall {
                id: "1".to_owned(),
                name: "f".to_owned(),
                arguments: arguments.to_owned(),
            };
            let input = serde_json::Value::Object(call.input()).to_string();
            assert_eq!(input, expected, "{arguments:?}");
        }
    }
}
