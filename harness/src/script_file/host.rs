//! Isolation and limits of script files.
//!
//! The isolation is a process-wide setting instead of a parameter, because prompt files are read
//! and hooks are started deep inside library code.

use std::time::Duration;

use parking_lot::Mutex;
use sandbox::{Config, Isolation, Limits, Sandbox, SessionLost};

/// Maximum CPU time of one call of a file's code, and its timer timeout.
pub(super) const TIME: Duration = Duration::from_secs(5);
/// Heap limit of one file.
pub(super) const HEAP_MEGABYTES: u64 = 128;
/// Megabytes by which the resident memory of a worker process may exceed the heap limit.
const BEYOND_HEAP_MEGABYTES: u64 = 512;

static SCRIPT_HOST: Mutex<ScriptHost> = Mutex::new(ScriptHost {
    isolation: Isolation::Thread,
    sandbox: None,
});

struct ScriptHost {
    isolation: Isolation,
    /// Sandbox shared by all hooks, created when the first hook starts.
    sandbox: Option<Sandbox>,
}

/// Sets the isolation of hooks, prompt modules and `systemPromptFunction` that start from now on.
/// The default is threads of this process. Programs that read untrusted files must first select
/// worker processes.
pub fn set_script_isolation(isolation: Isolation) {
    let mut place = SCRIPT_HOST.lock();
    if place.isolation != isolation {
        *place = ScriptHost {
            isolation,
            sandbox: None,
        };
    }
}

/// Returns the isolation of script files.
pub fn script_isolation() -> Isolation {
    SCRIPT_HOST.lock().isolation.clone()
}

/// Returns the sandbox shared by all hooks, which run in the async runtime of the run.
pub(crate) fn shared_sandbox() -> Result<Sandbox, String> {
    let mut place = SCRIPT_HOST.lock();
    if let Some(sandbox) = &place.sandbox {
        return Ok(sandbox.clone());
    }
    let sandbox = sandbox(place.isolation.clone())?;
    place.sandbox = Some(sandbox.clone());
    Ok(sandbox)
}

/// Creates a sandbox for code that runs in a separate async runtime.
pub(crate) fn fresh_sandbox() -> Result<Sandbox, String> {
    sandbox(script_isolation())
}

fn sandbox(isolation: Isolation) -> Result<Sandbox, String> {
    let config = Config {
        limits: Limits {
            cell_time: TIME,
            timer_timeout: TIME,
            heap_bytes: HEAP_MEGABYTES << 20,
            process_bytes: (HEAP_MEGABYTES + BEYOND_HEAP_MEGABYTES) << 20,
            ..Limits::default()
        },
        ..Config::default()
    };
    // Warnings about missing kernel features are ignored here; the agents' sandbox reports them.
    Sandbox::new(config, isolation, |_| ()).map_err(|error| error.to_string())
}

/// Formats the reason why a file's session ended.
pub(super) fn lost(lost: &SessionLost) -> String {
    // The flag does not apply to script files, so its mention is removed.
    let detail = lost.detail.replace(" (--memory-limit)", "");
    format!("its code ended the sandbox: {detail}")
}
