//! Deserializes responses recorded by any version of this program.

use serde::Deserialize;

use super::Response;
use crate::model::{ToolCall, Usage};
use crate::prompt::code_tool;

/// A response as stored in a cassette or cache.
#[derive(Deserialize)]
pub(super) struct RecordedResponse {
    text: String,
    reasoning: Option<String>,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
    /// Code of a tool call. Versions that supported tool calls only for code used this field
    /// instead of `tool_calls`.
    #[serde(default)]
    code: Option<String>,
    #[serde(rename = "carry", default)]
    reasoning_signature: Option<String>,
    usage: Option<Usage>,
    cost_usd: Option<f64>,
    served_model: Option<String>,
    #[serde(default)]
    request_id: Option<String>,
    #[serde(default)]
    finish_reason: Option<String>,
}

impl From<RecordedResponse> for Response {
    fn from(recorded: RecordedResponse) -> Self {
        let mut tool_calls = recorded.tool_calls;
        tool_calls.extend(recorded.code.as_deref().map(code_tool::call));
        Self {
            text: recorded.text,
            reasoning: recorded.reasoning,
            tool_calls,
            reasoning_signature: recorded.reasoning_signature,
            usage: recorded.usage,
            cost_usd: recorded.cost_usd,
            served_model: recorded.served_model,
            request_id: recorded.request_id,
            finish_reason: recorded.finish_reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Response;

    #[test]
    fn converts_code_of_old_record_to_call() {
        let old = r#"{"text": "t", "reasoning": null, "code": "f()", "usage": null, "cost_usd": null, "served_model": null}"#;
        let response: Response = serde_json::from_str(old).unwrap();
        let written = serde_json::to_string(&response).unwrap();
        assert_eq!(
            crate::prompt::code_tool::codes(&response.tool_calls),
            ["f()"]
        );
        assert_eq!(
            serde_json::from_str::<Response>(&written).unwrap(),
            response
        );
        assert!(!written.contains("carry"), "{written}");
    }
}
