//! Isolation and limits of script files.
//!
//! Prompt files are read deep inside the library of definitions, and hooks start in the middle of
//! an attempt. The isolation is therefore a setting of the process, not a parameter.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sandbox::{Config, Isolation, Limits, Sandbox, SessionLost};

/// Maximum CPU time, and maximum wait, of one call of a file's code.
pub(super) const TIME: Duration = Duration::from_secs(5);
/// Heap limit of one file.
pub(super) const HEAP_MEGABYTES: u64 = 128;
/// Resident megabytes beyond the heap at which a worker process is killed.
const BEYOND_HEAP_MEGABYTES: u64 = 512;

static SCRIPT_HOST: Mutex<ScriptHost> = Mutex::new(ScriptHost {
    isolation: Isolation::Thread,
    sandbox: None,
});

struct ScriptHost {
    isolation: Isolation,
    /// Sandbox of hooks, created when the first hook starts.
    sandbox: Option<Sandbox>,
}

/// Sets where hooks, prompt modules and `systemPromptFunction` run from now on. The default is
/// threads of this process, which suits tests. A program that reads untrusted files must first call
/// this with worker processes.
pub fn set_script_isolation(isolation: Isolation) {
    let mut place = lock();
    if place.isolation != isolation {
        *place = ScriptHost {
            isolation,
            sandbox: None,
        };
    }
}

/// Returns where script files run.
pub fn script_isolation() -> Isolation {
    lock().isolation.clone()
}

/// Returns the sandbox of hooks, which run in the runtime of the run.
pub(crate) fn shared_sandbox() -> Result<Sandbox, String> {
    let mut place = lock();
    if let Some(sandbox) = &place.sandbox {
        return Ok(sandbox.clone());
    }
    let sandbox = sandbox(place.isolation.clone())?;
    place.sandbox = Some(sandbox.clone());
    Ok(sandbox)
}

/// Creates a sandbox for code that runs in its own runtime.
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
    // The sandbox of the agents reports missing features of the kernel.
    Sandbox::new(config, isolation, |_| ()).map_err(|error| error.to_string())
}

/// Describes the end of a file's session.
pub(super) fn lost(lost: &SessionLost) -> String {
    // The flag does not set this limit.
    let detail = lost.detail.replace(" (--memory-limit)", "");
    format!("its code ended the sandbox: {detail}")
}

fn lock() -> MutexGuard<'static, ScriptHost> {
    SCRIPT_HOST.lock().unwrap_or_else(PoisonError::into_inner)
}
