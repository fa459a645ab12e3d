//! Tools: what agents can call by name, as functions in a REPL or natively in the `tools` protocol.
//!
//! In a REPL a tool is a function (`await search_docs({…})`); its name may have a dot there (`page.open`), which on the wire
//! is `_`. A tool knows its arguments and what belongs to the agent that calls it, and nothing of models or prompts. The
//! values of secret variables reach the tool alone: [`Values::strike_out`] goes over what it gives back.

mod call_settings;
mod instances;
mod registry;
mod tool_set;
mod values;

mod context;
mod files;
mod javascript;
mod sandbox;
mod script;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::model::ToolSpec;
use crate::prompt::definition::Variable;

pub use call_settings::CallSettings;
pub use files::FILES_DIR;
pub(crate) use files::{bytes_of, confined};
pub(crate) use instances::{
    ImmediateAgent, InstanceArguments, InstanceCall, InstanceKind, InstanceNames, MAX_INSTANCES,
    instance_tools, tell_caller,
};
pub use registry::{RegistryError, ToolRegistry};
pub use sandbox::ToolSandbox;
pub use script::{ScriptError, script_tools};
pub(crate) use tool_set::Runs;
pub use tool_set::{BoundTool, ToolSet, ToolSetError};
pub use values::{ValueError, ValueSources, Values};

/// Something that an agent can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Its name, description and parameters, for a model.
    fn spec(&self) -> &ToolSpec;

    /// Does its work. Dropping the future stops it.
    ///
    /// # Errors
    /// [`ToolError`], which the model reads: what is wrong, and what would be right.
    async fn call(&self, arguments: Value, scope: &ToolScope) -> Result<Value, ToolError>;

    /// The variables that it reads from its scope.
    fn variables(&self) -> &[Variable] {
        &[]
    }

    /// What of it can change an answer and is not in its spec, such as the hash of its file.
    fn version(&self) -> String {
        String::new()
    }
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
    pub context: Arc<String>,
    /// The tool's variables, resolved. They may hold secrets.
    pub env: BTreeMap<String, String>,
    /// The options that the agent's prompt sets for the tool.
    pub options: Map<String, Value>,
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);
