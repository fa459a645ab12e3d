//! Tools and callable prompts (specialists) of an engine's agents.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::{AgentSettings, Specialist, Specialists};
use crate::hook::{HookRegistry, HookRegistryError};
use crate::prompt::definition::Library;
use crate::tool::{BoundTool, ToolSet};

/// Tools and prompts that agents may call.
#[derive(Clone, Default)]
pub struct AgentTools {
    /// Tools of the root agent, inherited by the children that it creates with `rlm()`.
    pub root: ToolSet,
    /// Prompts that agents may call, each ready to run.
    pub specialists: Arc<Specialists>,
}

impl AgentTools {
    /// Merges two sets; `other` takes precedence if names collide.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut specialists = (*self.specialists).clone();
        specialists.extend((*other.specialists).clone());
        Self {
            root: self.root.under(&other.root),
            specialists: Arc::new(specialists),
        }
    }

    /// Whether agents may read the user's files, with a file tool or as attachments of a callable
    /// prompt.
    pub fn may_read_files(&self) -> bool {
        !self.specialists.is_empty() || self.root.iter().any(BoundTool::reads_files)
    }

    /// Adds the request settings of each callable prompt from its definition in `library`.
    ///
    /// # Errors
    /// Returns [`HookRegistryError::Unknown`] for an unknown hook.
    pub fn with_settings(
        mut self,
        library: &Library,
        hooks: &HookRegistry,
    ) -> Result<Self, HookRegistryError> {
        for specialist in Arc::make_mut(&mut self.specialists).values_mut() {
            if let Some(definition) = library.find(&specialist.name) {
                let settings = AgentSettings::of(definition, hooks)?;
                Arc::make_mut(specialist).settings = Arc::new(settings);
            }
        }
        Ok(self)
    }

    /// Replaces the request settings of each callable prompt with the result of `change`.
    pub fn change_settings(&mut self, mut change: impl FnMut(&Specialist) -> AgentSettings) {
        for specialist in Arc::make_mut(&mut self.specialists).values_mut() {
            let settings = change(specialist);
            Arc::make_mut(specialist).settings = Arc::new(settings);
        }
    }

    /// Whether any callable prompt sees the conversation of its caller.
    pub(crate) fn shares_history(&self) -> bool {
        self.specialists
            .values()
            .any(|prompt| prompt.settings.include_chat || prompt.settings.include_past_tools)
    }

    /// Returns a hash for each tool and each callable prompt, keyed by `NAME` or `prompt NAME`. The
    /// hash covers everything that can change an answer, except the values of secret variables.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let prompts = self.specialists.iter();
        let prompts = prompts.map(|(name, prompt)| (format!("prompt {name}"), prompt.digest()));
        self.root.digests().chain(prompts).collect()
    }
}

/// Serializes the digests.
impl Serialize for AgentTools {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.digests().serialize(serializer)
    }
}

impl fmt::Debug for AgentTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentTools")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}
