//! The trait that both interfaces implement, and values that both responses contain.

use serde_json::{Value, json};

use super::agents::AgentResult;
use super::error::ApiError;
use super::events::Frames;
use super::request::Fields;
use super::turn::Turn;

/// Values shared by all parts of a response.
#[derive(Debug, Clone, Default)]
pub(crate) struct Head {
    /// Id without the interface's prefix, such as `chatcmpl-`.
    pub id: String,
    /// Creation time in seconds since 1970.
    pub created: u64,
    /// Name of the model as the client wrote it.
    pub model: String,
    /// Fields of the request that have no effect.
    pub ignored: Vec<String>,
}

/// One of the two interfaces: parses a request, and formats its answer either as a whole or as a
/// stream of events.
pub(crate) trait Interface: Sized + Send + 'static {
    /// Request field with the messages, which errors name.
    const MESSAGES: &'static str;

    /// Parses the messages of a request. Rejects features that agents do not support.
    fn parse(fields: &mut Fields) -> Result<(Vec<Turn>, Self), ApiError>;

    /// Sets the values shared by all parts of the response.
    fn set_head(&mut self, head: Head);

    /// Returns the response body for an answer that is not streamed.
    fn whole(&self, answered: &AgentResult) -> Value;

    /// Returns the first events of a stream.
    fn begin(&mut self) -> Frames;

    /// Returns the events that show a step of the agent as reasoning.
    fn step(&mut self, line: &str) -> Frames;

    /// Returns the final events for an answer.
    fn end(&mut self, answered: &AgentResult) -> Frames;

    /// Returns the final events for a failure.
    fn failed(&mut self, error: &ApiError) -> Frames;
}

/// Returns the extension field `rlm`, which contains values that `OpenAI`'s interface does not
/// support.
pub(crate) fn extension(answered: &AgentResult, ignored: &[String]) -> Value {
    json!({
        "status": answered.status.as_str(),
        "error": answered.error,
        "cost_usd": answered.stats.cost_usd(),
        "agents": answered.stats.agents,
        "depth": answered.stats.depth_reached,
        "iterations": answered.stats.iterations,
        "llm_calls": answered.stats.llm_calls,
        "run": answered.run,
        "sample": answered.sample,
        "ignored": ignored,
    })
}
