//! Native tool calls: the tools offered to a model, its calls, and their results.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::lenient_json;

/// Tools that a request offers; none by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ToolUse {
    /// Tools that the model may call. If empty, the request mentions no tools.
    pub specs: Arc<[ToolSpec]>,
    /// Whether the model may, must or must not call tools.
    pub choice: ToolChoice,
    /// Whether one response may contain several calls.
    pub parallel: bool,
}

/// A tool as described to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name of at most 64 characters (ASCII letters, digits, `_` or `-`), as all APIs require.
    pub name: String,
    /// Description of the tool's purpose.
    pub description: String,
    /// JSON Schema of the arguments; its type is `object`.
    pub parameters: Value,
}

/// Whether a model may, must or must not call tools. Requests to models that cannot be forced
/// contain `Auto` instead of `Required` or `Forced`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// The model cannot call tools, and the request mentions none.
    None,
    /// The model must call at least one tool.
    Required,
    /// The model must call the tool with this name.
    Forced(String),
}

/// A tool call by a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolCall {
    /// Id of the call, unique in the conversation. The result refers to it.
    pub id: String,
    /// Name of the tool, as the model wrote it; the tool may not exist.
    pub name: String,
    /// Arguments as the model wrote them; possibly invalid JSON.
    pub arguments: String,
}

/// Result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolResult {
    /// Id of the call.
    pub call: String,
    /// Text that the model reads.
    pub content: String,
    /// Whether the call failed. `content` also states this, because not every API has a field for
    /// it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolUse {
    /// Whether the request mentions no tools.
    pub fn is_off(&self) -> bool {
        self.specs.is_empty() || self.choice == ToolChoice::None
    }
}

impl ToolCall {
    /// Converts the arguments to an object without loss: empty arguments become `{}`, and any text
    /// other than a JSON object becomes `{"arguments": TEXT}`.
    pub fn input(&self) -> Map<String, Value> {
        if self.arguments.trim().is_empty() {
            return Map::new();
        }
        match lenient_json::arguments(&self.arguments) {
            Ok(Value::Object(input)) => input,
            _ => Map::from_iter([("arguments".to_owned(), self.arguments.clone().into())]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ToolCall;

    #[test]
    fn converts_any_arguments_to_an_object() {
        let rows = [
            ("", "{}"),
            (" \n", "{}"),
            ("{\"a\": 1}", "{\"a\":1}"),
            (r#""{\"a\": 1}""#, "{\"a\":1}"),
            ("{\"a\": \"\n\"}", "{\"a\":\"\\n\"}"),
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
