//! Isolates the user's script files (hooks, prompt modules, tools and `systemPromptFunction`) and
//! loads hooks.

use std::env;
use std::path::Path;

use harness::hook::HookRegistry;
use harness::sandbox::{Isolation, WorkerCommand};

use super::{SettingsError, WORKER};

/// Makes script files run in worker processes with the same isolation as cells, even if cells run
/// on threads.
pub fn confine_scripts(cells: &Isolation) {
    let command = match cells {
        Isolation::Process(command) => WorkerCommand {
            sessions: 1,
            ..command.clone()
        },
        Isolation::Thread => WorkerCommand {
            // If the path is unknown, use the name by which the program was called.
            program: env::current_exe()
                .unwrap_or_else(|_| env::args_os().next().unwrap_or_default().into()),
            arguments: vec![WORKER.to_owned()],
            strict: false,
            sessions: 1,
            jitless: false,
        },
    };
    harness::set_script_isolation(Isolation::Process(command));
}

/// Returns the bundled hooks and those in a folder. Loads the files now, so that an invalid one is
/// reported before work starts.
///
/// # Errors
/// [`SettingsError`] for a file that is not a hook.
pub fn hook_registry(folder: Option<&Path>) -> Result<HookRegistry, SettingsError> {
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
