//! Tools that agents call by name, as functions in a REPL or natively in the `tools` protocol.
//!
//! In a REPL, a tool is a function (`await search_docs({…})`). In requests, `_` replaces a dot in
//! its name (`page.open`). A tool receives its arguments and the scope of the calling agent, and
//! does not depend on models or prompts. Models never see secret values, because results and errors
//! of tools are redacted ([`Values::redact`]).

mod call_settings;
mod instance_tools;
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
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::model::ToolSpec;
use crate::prompt::definition::Variable;

pub use call_settings::CallSettings;
pub use files::FILES_DIR;
pub(crate) use files::{bytes_of, confined};
pub(crate) use instance_tools::{instance_tools, tell_caller};
pub(crate) use instances::{
    ImmediateAgent, InstanceArguments, InstanceCall, InstanceKind, InstanceNames, MAX_INSTANCES,
};
pub use registry::{RegistryError, ToolRegistry};
pub use sandbox::ToolSandbox;
pub use script::{ScriptError, script_tools};
pub(crate) use tool_set::CallTarget;
pub use tool_set::{BoundTool, ToolSet, ToolSetError};
pub use values::{ValueError, ValueSources, Values};

/// A tool that an agent can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Returns the tool's name, description and parameters, as models see them.
    fn spec(&self) -> &ToolSpec;

    /// Runs a call. Dropping the future stops the call.
    ///
    /// # Errors
    /// Returns [`ToolError`]. The model reads its message, which should say what is wrong and what
    /// would be valid.
    async fn call(&self, arguments: Value, scope: &ToolScope) -> Result<Value, ToolError>;

    /// Returns the variables that the tool reads from its scope.
    fn variables(&self) -> &[Variable] {
        &[]
    }

    /// Returns a string that contains everything outside the spec that can change an answer, such
    /// as the hash of the tool's file.
    fn version(&self) -> String {
        String::new()
    }
}

/// Function of a bundled tool.
type BundledCall = fn(Value, &ToolScope) -> Result<Value, ToolError>;

/// A bundled tool that is a function.
struct BundledTool {
    spec: ToolSpec,
    variables: Vec<Variable>,
    call: BundledCall,
}

#[async_trait]
impl Tool for BundledTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: Value, scope: &ToolScope) -> Result<Value, ToolError> {
        (self.call)(arguments, scope)
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }
}

/// Parses the spec of a bundled tool.
fn bundled_spec(json: &str) -> ToolSpec {
    #[expect(clippy::expect_used, reason = "a test checks the bundled file")]
    serde_json::from_str(json).expect("a bundled tool is valid")
}

/// Parses the arguments of a bundled tool.
fn parse<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolError> {
    serde_json::from_value(arguments)
        .map_err(|error| ToolError(format!("the arguments do not fit: {error}")))
}

/// Data that a tool receives about the call and the calling agent.
#[derive(Debug, Clone, Default)]
pub struct ToolScope {
    /// Invocation id of the calling agent.
    pub invocation: String,
    /// Context of the task.
    pub context: Arc<String>,
    /// Values of the tool's variables, including secret values.
    pub env: BTreeMap<String, String>,
    /// Options for the tool from the definition of the agent.
    pub options: Map<String, Value>,
}

/// Error of a call, with a message for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);
