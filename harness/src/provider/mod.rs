//! Where models run: the trait that the engine calls, and what passes through it.
//!
//! Policy (retries, limits, caches) is a provider around another provider, never a flag inside one.

mod cache;
mod call;
mod connections;
mod error;
pub mod http;
mod limit;
mod price;
mod record;
mod recorded_response;
mod replay;
mod retry;
mod scripted;
mod window;

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::model::{Message, Role, ToolCall, ToolUse, Usage};
use crate::prompt::{AnswerSchema, PromptMode};

pub use crate::model::{Effort, Estimate, Sampling, WaitReason};
pub use cache::{CacheError, Cached, ResponseCache};
pub use call::{CallEvent, CallSink, IgnoreCalls};
pub use error::ProviderError;
pub use limit::{Limited, Limiter, MaybeShared, Pace, Rate, SharedPace};
pub use price::{PriceError, PriceTable, Priced};
pub use record::{Cassette, CassetteHeader, Recorded};
pub use replay::{
    JsText, NodeRlmConfig, NodeRlmFile, NodeRlmResult, NodeRlmStep, Replay, ReplayError,
};
pub use retry::{Retry, RetryPolicy};
pub use scripted::{ScriptLibrary, Scripted, ScriptedError};
pub use window::{WindowError, WindowTable};

/// A model's home.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Asks a model. What happens to the request on its way (retries, waiting) is reported to `calls`.
    ///
    /// # Errors
    /// [`ProviderError`]; each names what the provider said.
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError>;

    /// The answer to this very request, if it is kept somewhere: then nothing need be sent, waited for or paid.
    async fn recall(&self, _request: &Request) -> Option<Result<Response, ProviderError>> {
        None
    }

    /// What this provider can answer at all; `None` if anything.
    fn recording(&self) -> Option<Recording> {
        None
    }

    /// What a request is expected to take, where that is charged even if nobody waits for the response; none where
    /// nothing is charged.
    fn estimate(&self, _request: &Request) -> Option<Estimate> {
        None
    }
}

#[async_trait]
impl<P: Provider + ?Sized> Provider for Arc<P> {
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        (**self).complete(request, calls).await
    }

    async fn recall(&self, request: &Request) -> Option<Result<Response, ProviderError>> {
        (**self).recall(request).await
    }

    fn recording(&self) -> Option<Recording> {
        (**self).recording()
    }

    fn estimate(&self, request: &Request) -> Option<Estimate> {
        (**self).estimate(request)
    }
}

/// What a recording holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The samples, in the recording's order.
    pub samples: Vec<String>,
    /// The most requests that a root made.
    pub root_turns: u32,
    /// Whose responses they are, if the recording is a cassette, which holds those of all models of its run.
    pub cassette: Option<CassetteHeader>,
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The model's name at its provider, without the provider's prefix.
    pub model: String,
    /// The system prompt: the same in every request of an invocation.
    pub system: String,
    /// The conversation, oldest first; ends with a user message.
    pub messages: Vec<Arc<Message>>,
    /// How the model is to answer.
    pub sampling: Arc<Sampling>,
    /// What it may call.
    pub tools: ToolUse,
    /// What its text has to conform to. A server that can see to that does; of others it is asked for in the messages alone.
    pub answer_schema: Option<AnswerSchema>,
    /// Whether its earlier reasoning goes back to the model, as far as its server takes it.
    pub keep_reasoning: bool,
    /// Who asks.
    pub caller: Caller,
}

/// Who asks: for providers that answer by it, and for the records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The sample.
    pub sample: String,
    /// 1-based.
    pub attempt: u32,
    /// The agent's invocation id.
    pub invocation: String,
    /// What kind of agent.
    pub role: Role,
    /// 0 for the root.
    pub depth: u32,
    /// 1-based: the invocation's how-manieth request.
    pub turn: u32,
    /// How often the conversation was shortened in this turn, because it outgrew the model's context.
    #[serde(default)]
    pub trims: u32,
    /// The run's prompt mode.
    pub mode: PromptMode,
}

/// One response.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "recorded_response::RecordedResponse")]
pub struct Response {
    /// The text.
    pub text: String,
    /// Reasoning apart from the text.
    pub reasoning: Option<String>,
    /// Tool calls, in the model's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What the server wants back with this response when the conversation goes on (signatures of its reasoning),
    /// as JSON of its own. Means nothing to anybody else.
    #[serde(rename = "carry", default, skip_serializing_if = "Option::is_none")]
    pub reasoning_signature: Option<String>,
    /// Tokens, as the server or else the harness counted them.
    pub usage: Option<Usage>,
    /// US dollars, if the server says what it charged.
    pub cost_usd: Option<f64>,
    /// The model version that the server says it served.
    pub served_model: Option<String>,
}

impl Response {
    /// The response as a message of the conversation.
    pub fn to_message(&self) -> Message {
        Message {
            tool_calls: self.tool_calls.clone(),
            reasoning_signature: self.reasoning_signature.clone(),
            ..Message::assistant(&self.text)
        }
    }
}
