//! Providers, which run models. Defines the trait that the engine calls, its requests and its
//! responses.
//!
//! Retries, limits and caches are providers that wrap another provider, not flags of a provider.

mod cache;
mod call;
mod connections;
mod error;
pub mod http;
mod limit;
mod price;
mod record;
mod replay;
mod retry;
mod scripted;
mod window;

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Deserializer, Serialize};

use crate::model::{Message, Role, ToolCall, ToolUse, Usage};
use crate::prompt::{AnswerSchema, code_tool};
use crate::settings::PromptMode;

pub use crate::model::{Effort, Estimate, Sampling, WaitReason};
pub use cache::{CacheError, Cached, ResponseCache};
pub use call::{CallEvent, CallSink, IgnoreCalls};
pub use error::ProviderError;
pub use limit::{Limited, Limiter, MaybeShared, Pace, Rate, SharedPace};
pub use price::{PriceError, PriceTable, Priced};
pub use record::{Cassette, CassetteHeader, Recorded};
pub use replay::{NodeRlmConfig, NodeRlmFile, NodeRlmResult, NodeRlmStep, Replay, ReplayError};
pub use retry::{Retry, RetryPolicy};
pub use scripted::{ScriptLibrary, Scripted, ScriptedError};
pub use window::{WindowError, WindowTable};

/// A provider of models.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Sends a request to a model. Reports retries, waits and other events to `calls`.
    ///
    /// # Errors
    /// Returns [`ProviderError`] with the provider's message.
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError>;

    /// Returns the stored response to exactly this request, if any. The request is then not sent,
    /// and costs nothing.
    async fn recall(&self, _request: &Request) -> Option<Result<Response, ProviderError>> {
        None
    }

    /// Returns a summary of the recording that this provider plays back; `None` if it answers any
    /// request. Layers do not forward it, because a recording is played back without layers.
    fn recording(&self) -> Option<Recording> {
        None
    }

    /// Returns the expected usage of a request, or `None` if it costs nothing or its usage is
    /// unknown.
    fn forecast(&self, _request: &Request) -> Option<Forecast> {
        None
    }
}

/// Expected usage of a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// The likely usage and cost.
    pub likely: Estimate,
    /// The highest plausible usage and cost, which budgets reserve.
    pub most: Estimate,
}

/// Summary of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// Ids of the samples, in the order of the recording.
    pub samples: Vec<String>,
    /// Largest number of requests by a root agent in one attempt. Counts only the protocols `rlm`
    /// and `tools`.
    pub root_turns: u32,
    /// Header, if the recording is a cassette. Only cassettes contain the responses of all models.
    pub cassette: Option<CassetteHeader>,
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Name of the model at its provider, without the provider's prefix.
    pub model: String,
    /// System prompt, which is the same in every request of an invocation.
    pub system: String,
    /// Conversation, oldest message first; it ends with a user message.
    pub messages: Vec<Arc<Message>>,
    /// Sampling settings.
    pub sampling: Arc<Sampling>,
    /// Tools that the model may call.
    pub tools: ToolUse,
    /// Schema that the response's text must conform to. Servers that support schemas enforce it;
    /// the messages also state it.
    pub answer_schema: Option<AnswerSchema>,
    /// Whether to send earlier reasoning back to the model, if the server accepts it.
    pub keep_reasoning: bool,
    /// The agent that sends the request.
    pub caller: Caller,
}

/// Minimum bytes of a prompt to compare its length with the server's token count.
const COMPARED_BYTES: u64 = 8_000;

/// Minimum number of bytes per counted token at which the server must have dropped part of the
/// prompt. English and code have 3 to 5 bytes per token, and other scripts up to 6.
const BYTES_PER_TOKEN: u64 = 20;

impl Request {
    /// Returns the length of all texts in bytes, which is faster to compute than in characters.
    fn text_bytes(&self) -> usize {
        let length = |message: &Arc<Message>| {
            let results = message.tool_results.iter();
            let results: usize = results.map(|result| result.content.len()).sum();
            let calls = message.tool_calls.iter();
            let calls: usize = calls
                .map(|call| call.name.len() + call.arguments.len())
                .sum();
            message.content.len() + results + calls
        };
        self.system.len() + self.messages.iter().map(length).sum::<usize>()
    }

    /// Whether the server counted far fewer input tokens than the prompt can have. Some servers
    /// silently truncate prompts to their context window.
    pub fn looks_truncated(&self, usage: Option<Usage>) -> bool {
        let Some(usage) = usage.filter(|usage| !usage.estimated && usage.input_tokens > 0) else {
            return false;
        };
        let bytes = self.text_bytes() as u64;
        bytes >= COMPARED_BYTES && bytes > usage.input_tokens.saturating_mul(BYTES_PER_TOKEN)
    }
}

/// The agent that sends a request. Recordings and scripted models use it to select a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// Invocation id of the agent.
    pub invocation: String,
    /// Role of the agent.
    pub role: Role,
    /// Depth of the agent; 0 for the root.
    pub depth: u32,
    /// Position of the request among the invocation's requests, 1-based.
    pub turn: u32,
    /// Number of times that the conversation was shortened in this turn, because it exceeded the
    /// model's context window.
    #[serde(default)]
    pub trims: u32,
    /// Prompt mode of the run.
    pub mode: PromptMode,
}

/// A response of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// Text of the response.
    pub text: String,
    /// Reasoning that the model returned separately from the text.
    pub reasoning: Option<String>,
    /// Tool calls, in order.
    #[serde(
        default,
        alias = "code",
        deserialize_with = "calls_or_code",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub tool_calls: Vec<ToolCall>,
    /// Opaque JSON, such as signatures of the reasoning, that must be sent back to the server when
    /// the conversation continues.
    #[serde(rename = "carry", default, skip_serializing_if = "Option::is_none")]
    pub reasoning_signature: Option<String>,
    /// Tokens, as counted by the server or estimated by the harness.
    pub usage: Option<Usage>,
    /// Cost in US dollars, if the server reports it.
    pub cost_usd: Option<f64>,
    /// Version of the model, as reported by the server.
    pub served_model: Option<String>,
    /// Id of the request assigned by the server, truncated to [`LONGEST_LABEL`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Finish reason as reported by the server, truncated to [`LONGEST_LABEL`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
}

/// Returns the response in a result, even if it was truncated.
pub(crate) fn response_mut(result: &mut Result<Response, ProviderError>) -> Option<&mut Response> {
    match result {
        Ok(response) => Some(response),
        Err(ProviderError::Truncated { response }) => Some(response),
        Err(_) => None,
    }
}

/// Deserializes tool calls, or the code of one call, which versions that supported tool calls only
/// for code recorded instead.
fn calls_or_code<'de, D: Deserializer<'de>>(recorded: D) -> Result<Vec<ToolCall>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum CallsOrCode {
        Calls(Vec<ToolCall>),
        Code(Option<String>),
    }
    Ok(match CallsOrCode::deserialize(recorded)? {
        CallsOrCode::Calls(calls) => calls,
        CallsOrCode::Code(code) => code.as_deref().map(code_tool::call).into_iter().collect(),
    })
}

/// Maximum characters of a request id or a finish reason, because servers may send any text.
pub const LONGEST_LABEL: usize = 200;

/// Removes surrounding white space and control characters from a server's text and truncates it to
/// [`LONGEST_LABEL`]. Returns `None` if nothing is left.
pub(crate) fn label(text: &str) -> Option<String> {
    let chars = text.trim().chars().filter(|char| !char.is_control());
    let label: String = chars.take(LONGEST_LABEL).collect();
    (!label.trim().is_empty()).then_some(label)
}

impl Response {
    /// Converts the response to a message of the conversation.
    pub fn to_message(&self) -> Message {
        Message {
            tool_calls: self.tool_calls.clone(),
            reasoning_signature: self.reasoning_signature.clone(),
            ..Message::assistant(&self.text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Response, code_tool};

    #[test]
    fn converts_code_of_old_record_to_call() {
        let old = r#"{"text": "t", "reasoning": null, "code": "f()", "usage": null, "cost_usd": null, "served_model": null}"#;
        let response: Response = serde_json::from_str(old).unwrap();
        let written = serde_json::to_string(&response).unwrap();
        assert_eq!(code_tool::codes(&response.tool_calls), ["f()"]);
        assert_eq!(
            serde_json::from_str::<Response>(&written).unwrap(),
            response
        );
        assert!(!written.contains("carry"), "{written}");
    }
}
