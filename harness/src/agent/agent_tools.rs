//! The tools and specialists that the agents of an engine may call.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::{AgentSettings, Specialist, Specialists};
use crate::hook::{HookRegistry, HookRegistryError};
use crate::prompt::definition::Library;
use crate::tool::{BoundTool, ToolSet};

/// What agents may call besides each other.
#[derive(Clone, Default)]
pub struct AgentTools {
    /// The root's tools. Children that it calls by `rlm()` have them, too.
    pub root: ToolSet,
    /// The prompts that agents may call, each ready to run.
    pub specialists: Arc<Specialists>,
}

impl AgentTools {
    /// This, and what another has besides; where names collide, the other's.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut specialists = (*self.specialists).clone();
        specialists.extend((*other.specialists).clone());
        Self {
            root: self.root.under(&other.root),
            specialists: Arc::new(specialists),
        }
    }

    /// Whether any of it may read files of the user's: a tool for files, or a prompt, whose messages may have attachments.
    pub fn may_read_files(&self) -> bool {
        !self.specialists.is_empty() || self.root.iter().any(BoundTool::reads_files)
    }

    /// This, with what each prompt that may be called says of its requests: reasoning, images, hooks, and what it sees of
    /// its caller's conversation.
    ///
    /// # Errors
    /// [`HookRegistryError::Unknown`] for a hook that there is not.
    pub fn with_settings(
        mut self,
        library: &Library,
        hooks: &HookRegistry,
    ) -> Result<Self, HookRegistryError> {
        let mut specialists = (*self.specialists).clone();
        for specialist in specialists.values_mut() {
            if let Some(definition) = library.find(&specialist.name) {
                *specialist = Arc::new(Specialist {
                    settings: Arc::new(AgentSettings::of(definition, hooks)?),
                    ..(**specialist).clone()
                });
            }
        }
        self.specialists = Arc::new(specialists);
        Ok(self)
    }

    /// Gives each prompt that may be called other settings.
    pub fn change_settings(&mut self, mut change: impl FnMut(&Specialist) -> AgentSettings) {
        let mut specialists = (*self.specialists).clone();
        for specialist in specialists.values_mut() {
            *specialist = Arc::new(Specialist {
                settings: Arc::new(change(specialist)),
                ..(**specialist).clone()
            });
        }
        self.specialists = Arc::new(specialists);
    }

    /// Whether a prompt that may be called sees the conversation of its caller.
    pub(crate) fn shares_history(&self) -> bool {
        self.specialists
            .values()
            .any(|prompt| prompt.settings.include_chat || prompt.settings.include_past_tools)
    }

    /// What of it can change an answer, as a hash for each tool and for each prompt that may be called. No value of a
    /// secret variable is part of it.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let tools = self
            .root
            .iter()
            .map(|given| (given.spec().name.clone(), given.digest()));
        let prompts = self.specialists.iter();
        let prompts = prompts.map(|(name, prompt)| (format!("prompt {name}"), prompt.digest()));
        tools.chain(prompts).collect()
    }
}

/// Its digests.
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
