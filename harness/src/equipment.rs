//! What the agents of an engine may call besides each other.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::engine::Task;
use crate::subprompt::Specialists;
use crate::tool::Toolbox;

/// Makes tools for one task, such as those of a page that is opened for it.
type ForTask = dyn Fn(&Task) -> Toolbox + Send + Sync;

/// What agents may call besides each other.
#[derive(Clone, Default)]
pub struct Equipment {
    /// The root's tools. Children that it calls by `rlm()` have them, too.
    pub root: Toolbox,
    /// The prompts that agents may call, each ready to run.
    pub specialists: Arc<Specialists>,
    /// What the root has besides for one task alone. They take the place of others of their names, and no child has them.
    pub for_task: Option<Arc<ForTask>>,
}

impl Equipment {
    /// This, and what another has besides; where names collide, the other's.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut specialists = (*self.specialists).clone();
        specialists.extend((*other.specialists).clone());
        Self {
            root: self.root.under(&other.root),
            specialists: Arc::new(specialists),
            for_task: other.for_task.clone().or_else(|| self.for_task.clone()),
        }
    }

    /// What of it can change an answer, as a hash for each tool and for each prompt that may be called. No value of a
    /// secret variable is part of it.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let tools = self
            .root
            .iter()
            .map(|given| (given.spec().name.clone(), given.digest()));
        let prompts = self.specialists.values();
        let prompts = prompts.map(|prompt| (format!("prompt {}", prompt.name), prompt.digest()));
        tools.chain(prompts).collect()
    }

    /// The root's tools in an attempt at a task.
    pub(crate) fn root_tools(&self, task: &Task) -> Toolbox {
        match &self.for_task {
            Some(of_task) => self.root.under(&of_task(task)),
            None => self.root.clone(),
        }
    }
}

impl fmt::Debug for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Equipment")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}
