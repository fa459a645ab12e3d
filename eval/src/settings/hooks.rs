//! Hooks by name: files are read and tried, so that one that is wrong is found before any work starts.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use harness::hook::{Hook, HookRegistry};

use super::SettingsError;
use super::name_list::names;
use crate::cli::{HookArgs, LayerArgs};

/// The hooks of a run.
#[derive(Clone, Default)]
pub struct HookSettings {
    /// Those that run, in order.
    pub hooks: Vec<Arc<dyn Hook>>,
    /// All that prompts may list.
    pub registry: HookRegistry,
}

impl fmt::Debug for HookSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.hooks.iter().map(|hook| hook.name());
        f.debug_list().entries(names).finish()
    }
}

/// Finds the hooks that the flags name.
///
/// # Errors
/// [`SettingsError::Hook`] for an unknown name or a file that is no hook.
pub(super) fn resolve(args: &HookArgs, layers: &LayerArgs) -> Result<HookSettings, SettingsError> {
    let registry = registry(layers.hooks_dir.as_deref())?;
    let hooks = registry.resolve(&names(&args.hooks))?;
    Ok(HookSettings { hooks, registry })
}

/// The bundled hooks, and those of a folder.
///
/// # Errors
/// [`SettingsError::Hook`] for a file that is no hook.
pub fn registry(folder: Option<&Path>) -> Result<HookRegistry, SettingsError> {
    let bundled = HookRegistry::bundled();
    let Some(folder) = folder else {
        return Ok(bundled);
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(SettingsError::HookRuntime)?;
    Ok(runtime.block_on(bundled.with_dir(folder))?)
}
