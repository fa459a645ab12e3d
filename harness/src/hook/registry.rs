//! The hooks of a program, by name.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::{Hook, HookFileError, ScriptHook, bundled, script};
use crate::text::{did_you_mean, nearest};

/// Hooks by name. Cheap to clone.
#[derive(Clone, Default)]
pub struct HookRegistry {
    hooks: BTreeMap<String, Arc<dyn Hook>>,
}

/// A name that stands for no hook, or a file that is none.
#[derive(Debug, thiserror::Error)]
pub enum HookRegistryError {
    /// There is no such hook.
    #[error("unknown hook `{name}`{}", did_you_mean(.nearest.as_deref(), .known))]
    Unknown {
        /// As given.
        name: String,
        /// The name it most likely stands for.
        nearest: Option<String>,
        /// All of them.
        known: Vec<String>,
    },
    /// A file of the folder is no hook.
    #[error(transparent)]
    File(#[from] HookFileError),
}

impl HookRegistry {
    /// The bundled hooks.
    pub fn bundled() -> Self {
        let named = |hook: Box<dyn Hook>| (hook.name().to_owned(), Arc::from(hook));
        Self {
            hooks: bundled::all().map(named).collect(),
        }
    }

    /// Adds the hooks of a folder, a file each: `NAME.js`, or one that names itself to `defineHook`. One of a bundled hook's name
    /// takes its place.
    ///
    /// # Errors
    /// [`HookRegistryError::File`] for the first file, by name, that is no hook, with its line.
    pub async fn with_dir(mut self, folder: &Path) -> Result<Self, HookRegistryError> {
        for file in script::files(folder)? {
            let hook = ScriptHook::read(&file).await?;
            self.hooks.insert(hook.name().to_owned(), Arc::new(hook));
        }
        Ok(self)
    }

    /// Hooks by their names, in this order.
    ///
    /// # Errors
    /// [`HookRegistryError::Unknown`] for the first name that stands for none.
    pub fn resolve(&self, names: &[String]) -> Result<Vec<Arc<dyn Hook>>, HookRegistryError> {
        names.iter().map(|name| self.get(name)).collect()
    }

    fn get(&self, name: &str) -> Result<Arc<dyn Hook>, HookRegistryError> {
        self.hooks
            .get(name)
            .cloned()
            .ok_or_else(|| HookRegistryError::Unknown {
                name: name.to_owned(),
                nearest: nearest(name, self.hooks.keys().map(String::as_str)),
                known: self.hooks.keys().cloned().collect(),
            })
    }

    /// All hooks, in the order of their names.
    pub fn all(&self) -> impl Iterator<Item = &Arc<dyn Hook>> {
        self.hooks.values()
    }
}

impl fmt::Debug for HookRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.hooks.keys()).finish()
    }
}
