//! Interface that the caller implements to provide tools to clients.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use serve::Client;

/// A tool that clients can call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolInfo {
    /// Name that clients use in calls.
    pub name: &'static str,
    /// Title for people.
    pub title: String,
    /// Description for models.
    pub description: String,
    /// JSON Schema of the arguments object.
    pub input_schema: Map<String, Value>,
    /// JSON Schema of the structured result object.
    pub output_schema: Map<String, Value>,
    /// Whether the tool only reads files.
    pub is_read_only: bool,
}

/// Result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Result as text for a model.
    pub text: String,
    /// Result for programs, which conforms to the tool's output schema.
    pub structured: Value,
    /// Whether the call failed after it began.
    pub is_error: bool,
}

/// Callback that receives one line of progress.
pub type OnReport = Arc<dyn Fn(String) + Send + Sync>;

/// Client of a tool call, and how to report progress to it.
#[derive(Clone)]
pub struct Caller {
    /// Client on whose behalf the call is made, with its limits.
    pub client: Arc<Client>,
    /// Callback for progress of the call.
    pub report: OnReport,
}

/// The tools of a server.
#[async_trait]
pub trait Toolbox: Send + Sync + 'static {
    /// Returns instructions for the client's model: when to use which tool.
    fn instructions(&self) -> &str;

    /// Returns all tools, in listing order.
    fn tools(&self) -> &[ToolInfo];

    /// Calls a tool. Dropping the future stops the work.
    ///
    /// # Errors
    /// Returns a message for the model if the arguments are invalid or the call cannot begin.
    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        caller: Caller,
    ) -> Result<Reply, String>;
}
