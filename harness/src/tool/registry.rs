//! The tools of a program, by name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{Tool, ToolSandbox, context, files, javascript};
use crate::text::{did_you_mean, nearest};

/// Tools by name. Cheap to clone.
#[derive(Clone, Default)]
pub struct ToolRegistry {
    tools: BTreeMap<String, Arc<dyn Tool>>,
}

/// A name that stands for no tool, or for two.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// There is no such tool.
    #[error("unknown tool `{name}`{}", did_you_mean(.nearest.as_deref(), .known))]
    Unknown {
        /// As given.
        name: String,
        /// The name it most likely stands for.
        nearest: Option<String>,
        /// All of them.
        known: Vec<String>,
    },
    /// Two tools have it.
    #[error("there are two tools of the name `{0}`")]
    Twice(String),
}

impl ToolRegistry {
    /// The bundled tools: those that read the task's context.
    pub fn bundled() -> Self {
        let tools = context::tools();
        let named = |tool: Arc<dyn Tool>| (tool.spec().name.clone(), tool);
        Self {
            tools: tools.into_iter().map(named).collect(),
        }
    }

    /// The bundled tools, and those that read files or run code: `sandbox` is where code runs.
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
    /// [`RegistryError::Twice`] if its name is taken.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), RegistryError> {
        let name = tool.spec().name.clone();
        if self.tools.contains_key(&name) {
            return Err(RegistryError::Twice(name));
        }
        self.tools.insert(name, tool);
        Ok(())
    }

    /// A tool by its name.
    ///
    /// # Errors
    /// [`RegistryError::Unknown`].
    pub fn get(&self, name: &str) -> Result<Arc<dyn Tool>, RegistryError> {
        self.tools
            .get(name)
            .cloned()
            .ok_or_else(|| RegistryError::Unknown {
                name: name.to_owned(),
                nearest: nearest(name, self.tools.keys().map(String::as_str)),
                known: self.tools.keys().cloned().collect(),
            })
    }

    /// All tools, in the order of their names.
    pub fn all(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.values()
    }
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}
