//! Tools: what agents can call by name, natively in the `tools` protocol.
//!
//! A tool knows its arguments and what belongs to the agent that calls it, and nothing of models or prompts.

mod registry;

mod context;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::tool_call::ToolSpec;

pub use registry::{RegistryError, ToolRegistry};

/// Something that an agent can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What a model is told of it.
    fn spec(&self) -> &ToolSpec;

    /// Does its work. Dropping the future stops it.
    ///
    /// # Errors
    /// [`ToolError`], which the model reads: what is wrong, and what would be right.
    async fn call(&self, arguments: Value, scope: &ToolScope) -> Result<Value, ToolError>;
}

/// What belongs to the agent that calls a tool.
#[derive(Debug, Clone, Default)]
pub struct ToolScope {
    /// The sample.
    pub sample: String,
    /// 1-based.
    pub attempt: u32,
    /// The calling agent's invocation id.
    pub invocation: String,
    /// The task's context.
    pub context: Arc<str>,
    /// The tool's variables, resolved. They may hold secrets.
    pub env: BTreeMap<String, String>,
    /// The options that the agent's prompt sets for the tool.
    pub options: Map<String, Value>,
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);
