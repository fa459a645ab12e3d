//! Where script files run, and what they may use.
//!
//! A prompt file is read deep inside of the library of definitions, and a hook starts in the middle of an attempt, so the place is
//! the process's, not a parameter of each of them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sandbox::{Config, Isolation, Limits, Lost, Sandbox};

/// What one call of a file's code may compute, and may wait.
pub(super) const TIME: Duration = Duration::from_secs(5);
/// Heap of one file.
pub(super) const HEAP_MEGABYTES: u64 = 128;
/// Resident megabytes that a worker process may take beyond the heap before it is ended.
const BEYOND_HEAP_MEGABYTES: u64 = 512;

static PLACE: Mutex<Place> = Mutex::new(Place {
    isolation: Isolation::Thread,
    sandbox: None,
});

struct Place {
    isolation: Isolation,
    /// The sandbox of hooks, made when the first starts.
    sandbox: Option<Sandbox>,
}

/// Says where hooks, prompt modules and `systemPromptFunction` run from now on. Before the first call they run on threads of this
/// process, which suits tests: a program that reads files of others calls this first, with worker processes.
pub fn run_scripts_in(isolation: Isolation) {
    let mut place = lock();
    if place.isolation != isolation {
        *place = Place {
            isolation,
            sandbox: None,
        };
    }
}

/// Returns where script files run.
pub fn scripts_run_in() -> Isolation {
    lock().isolation.clone()
}

/// The sandbox of hooks, which work in the runtime of a run.
pub(crate) fn shared_sandbox() -> Result<Sandbox, String> {
    let mut place = lock();
    if let Some(sandbox) = &place.sandbox {
        return Ok(sandbox.clone());
    }
    let sandbox = sandbox(place.isolation.clone())?;
    place.sandbox = Some(sandbox.clone());
    Ok(sandbox)
}

/// A sandbox for code that runs in a runtime of its own.
pub(crate) fn fresh_sandbox() -> Result<Sandbox, String> {
    sandbox(scripts_run_in())
}

fn sandbox(isolation: Isolation) -> Result<Sandbox, String> {
    let config = Config {
        limits: Limits {
            cell_time: TIME,
            cell_wait: TIME,
            heap_bytes: HEAP_MEGABYTES << 20,
            process_bytes: (HEAP_MEGABYTES + BEYOND_HEAP_MEGABYTES) << 20,
            ..Limits::default()
        },
        ..Config::default()
    };
    // What the kernel lacks is reported by the sandbox of the agents.
    Sandbox::new(config, isolation, |_| ()).map_err(|error| error.to_string())
}

/// Describes the end of a file's session.
pub(super) fn lost(lost: &Lost) -> String {
    // The limit is not the one that the flag sets.
    let detail = lost.detail.replace(" (--memory-limit)", "");
    format!("its code ended the sandbox: {detail}")
}

fn lock() -> MutexGuard<'static, Place> {
    PLACE.lock().unwrap_or_else(PoisonError::into_inner)
}
