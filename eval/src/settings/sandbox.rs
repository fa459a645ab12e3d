//! The REPL's settings.

use std::env;

use harness::sandbox::{Config, Isolation, Limits, MAX_SESSIONS, MAX_STACK_BYTES, WorkerCommand};

use super::SettingsError;
use super::bounds::{count, seconds, within};
use crate::cli::{IsolationKind, SandboxArgs};

/// The argument with which this program starts itself as a worker.
pub const WORKER: &str = "__sandbox-worker";

/// Resident megabytes that a worker process may take beyond its heap before it is ended.
const BEYOND_HEAP: u64 = 1536;

/// The sandbox of a command.
#[derive(Debug, Clone)]
pub struct SandboxSettings {
    /// Limits and printing.
    pub config: Config,
    /// Where cells run.
    pub isolation: Isolation,
}

/// Checks the limits.
///
/// # Errors
/// [`SettingsError::OutOfBounds`], [`SettingsError::NoWorkersToShare`] or [`SettingsError::NoProgram`].
pub(super) fn resolve(args: &SandboxArgs) -> Result<SandboxSettings, SettingsError> {
    let megabytes = within("--memory-limit", args.memory_limit, &(16..=1_000_000))?;
    let config = Config {
        limits: Limits {
            cell_time: seconds("--cell-timeout", args.cell_timeout)?,
            cell_wait: seconds("--cell-wait", args.cell_wait)?,
            heap_bytes: megabytes << 20,
            process_bytes: (megabytes + BEYOND_HEAP) << 20,
            stack_bytes: within(
                "--stack-limit",
                args.stack_limit,
                &(1..=MAX_STACK_BYTES >> 20),
            )? << 20,
            pending_calls: within("--pending-calls", args.pending_calls, &(1..=100_000))?,
            total_calls: within("--total-calls", args.total_calls, &(0..=10_000_000))?,
            argument_chars: within("--argument-limit", args.argument_limit, &(1..=500_000_000))?,
            timers: within("--timer-limit", args.timer_limit, &(1..=1_000_000))?,
            output_chars: count("--output-limit", args.output_limit, &(1..=100_000_000))?,
        },
        console: args.console,
    };
    let shared_by = within(
        "--attempts-per-worker",
        args.attempts_per_worker,
        &(1..=MAX_SESSIONS),
    )?;
    if shared_by > 1 && args.isolation == IsolationKind::Thread {
        return Err(SettingsError::NoWorkersToShare);
    }
    let isolation = isolation(args.isolation, shared_by)?;
    Ok(SandboxSettings { config, isolation })
}

/// Where cells run, and how many attempts share a worker.
///
/// # Errors
/// [`SettingsError::NoProgram`].
pub(super) fn isolation(kind: IsolationKind, shared_by: u32) -> Result<Isolation, SettingsError> {
    Ok(match kind {
        IsolationKind::Thread => Isolation::Thread,
        kind => Isolation::Process(WorkerCommand {
            program: env::current_exe().map_err(SettingsError::NoProgram)?,
            arguments: vec![WORKER.to_owned()],
            strict: kind == IsolationKind::Strict,
            sessions: shared_by,
        }),
    })
}
