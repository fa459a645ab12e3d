//! The tools that definitions and flags can name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{Tool, ToolSandbox, context, files, javascript};
use crate::text::hint_for_unknown;

/// Available tools, by name.
#[derive(Clone, Default)]
pub struct ToolRegistry {
    tools: BTreeMap<String, Arc<dyn Tool>>,
}

/// Error for an unknown or duplicate tool name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// No tool has this name.
    #[error("unknown tool `{name}`{}", hint_for_unknown(.name, .known))]
    Unknown {
        /// Name as given.
        name: String,
        /// All known names.
        known: Vec<String>,
    },
    /// Two tools have this name.
    #[error("duplicate tool name `{0}`")]
    Duplicate(String),
}

impl ToolRegistry {
    /// Returns the bundled tools that read the task's context.
    pub fn bundled() -> Self {
        let tools = context::tools();
        let named = |tool: Arc<dyn Tool>| (tool.spec().name.clone(), tool);
        Self {
            tools: tools.into_iter().map(named).collect(),
        }
    }

    /// Returns all bundled tools: those that read the task's context, those that read files, and
    /// `run_javascript`, which runs code in `sandbox`.
    pub fn with_host_tools(sandbox: &Arc<ToolSandbox>) -> Self {
        let mut registry = Self::bundled();
        for tool in files::tools()
            .into_iter()
            .chain([javascript::tool(sandbox)])
        {
            registry.tools.insert(tool.spec().name.clone(), tool);
        }
        registry
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// Returns [`RegistryError::Duplicate`] if another tool has the same name.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), RegistryError> {
        let name = tool.spec().name.clone();
        if self.tools.contains_key(&name) {
            return Err(RegistryError::Duplicate(name));
        }
        self.tools.insert(name, tool);
        Ok(())
    }

    /// Returns the tool with this name.
    ///
    /// # Errors
    /// Returns [`RegistryError::Unknown`] if no tool has this name.
    pub fn get(&self, name: &str) -> Result<Arc<dyn Tool>, RegistryError> {
        self.tools
            .get(name)
            .cloned()
            .ok_or_else(|| RegistryError::Unknown {
                name: name.to_owned(),
                known: self.tools.keys().cloned().collect(),
            })
    }

    /// Returns all tools, sorted by name.
    pub fn all(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.values()
    }
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}
