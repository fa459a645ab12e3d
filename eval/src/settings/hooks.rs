//! Resolves hooks by name. Their files are loaded, so that an invalid one is reported before work
//! starts.

use std::path::Path;

use harness::hook::HookRegistry;

use super::SettingsError;

/// Returns the bundled hooks and those of a folder.
///
/// # Errors
/// [`SettingsError`] for a file that is not a hook.
pub fn registry(folder: Option<&Path>) -> Result<HookRegistry, SettingsError> {
    let bundled = HookRegistry::bundled();
    let Some(folder) = folder else {
        return Ok(bundled);
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            SettingsError::new(format!("cannot start a runtime to load hooks: {error}"))
        })?;
    Ok(runtime.block_on(bundled.with_dir(folder))?)
}
