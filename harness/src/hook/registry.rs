//! Registry of bundled and user-supplied hooks.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::{Hook, HookFileError, ScriptHook, bundled, script};
use crate::text::hint_for_unknown;

/// Hooks by name.
#[derive(Clone, Default)]
pub struct HookRegistry {
    hooks: BTreeMap<String, Arc<dyn Hook>>,
}

/// Error for an unknown hook or a faulty hook file.
#[derive(Debug, thiserror::Error)]
pub enum HookRegistryError {
    /// No hook has this name.
    #[error("unknown hook `{name}`{}", hint_for_unknown(.name, .known))]
    Unknown {
        /// Name as given.
        name: String,
        /// All known names.
        known: Vec<String>,
    },
    /// The folder or a file cannot be read, or a file does not define a hook.
    #[error(transparent)]
    File(#[from] HookFileError),
}

impl HookRegistry {
    /// Returns the bundled hooks.
    pub fn bundled() -> Self {
        let named = |hook: Box<dyn Hook>| (hook.name().to_owned(), Arc::from(hook));
        Self {
            hooks: bundled::all().map(named).collect(),
        }
    }

    /// Adds the hooks of a folder, one per `.js` or `.ts` file. The name of a hook is the `id` that
    /// the file passes to `defineHook`, or else the file name without its extension. Hooks replace
    /// earlier ones with the same name.
    ///
    /// # Errors
    /// Returns [`HookRegistryError::File`] if the folder cannot be read, or for the first file, by
    /// name, that does not define a hook.
    pub async fn with_dir(mut self, folder: &Path) -> Result<Self, HookRegistryError> {
        for file in script::files(folder)? {
            let hook = ScriptHook::read(&file).await?;
            self.hooks.insert(hook.name().to_owned(), Arc::new(hook));
        }
        Ok(self)
    }

    /// Returns the hooks with these names, in this order.
    ///
    /// # Errors
    /// Returns [`HookRegistryError::Unknown`] for the first unknown name.
    pub fn resolve(&self, names: &[String]) -> Result<Vec<Arc<dyn Hook>>, HookRegistryError> {
        names.iter().map(|name| self.get(name)).collect()
    }

    fn get(&self, name: &str) -> Result<Arc<dyn Hook>, HookRegistryError> {
        self.hooks
            .get(name)
            .cloned()
            .ok_or_else(|| HookRegistryError::Unknown {
                name: name.to_owned(),
                known: self.hooks.keys().cloned().collect(),
            })
    }

    /// Returns all hooks, sorted by name.
    pub fn all(&self) -> impl Iterator<Item = &Arc<dyn Hook>> {
        self.hooks.values()
    }
}

impl fmt::Debug for HookRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.hooks.keys()).finish()
    }
}
