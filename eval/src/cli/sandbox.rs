//! The JavaScript REPL: its limits, how it prints, and where it runs.

use std::{env, io};

use clap::Args;
use harness::sandbox::{
    Config, Console, Isolation, Limits, MAX_SESSIONS, MAX_STACK_BYTES, WorkerCommand,
};
use serde::{Deserialize, Serialize};

use super::number::{Seconds, whole};
use super::word::one_of;

/// Limits and printing of the REPL.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "REPL")]
pub struct SandboxArgs {
    /// How console.log prints values: as Node.js does, or String(value) of each, joined by spaces
    #[arg(
        long,
        default_value = "node",
        value_name = "STYLE",
        value_parser = one_of::<Console>(["node", "plain"])
    )]
    pub console: Console,

    /// CPU seconds that one cell may execute; waiting for children and models is free
    #[arg(
        long,
        default_value_t = Seconds::of(120),
        value_name = "SECONDS"
    )]
    pub cell_timeout: Seconds,

    /// Seconds that one cell may wait for timers
    #[arg(
        long,
        default_value_t = Seconds::of(30),
        value_name = "SECONDS"
    )]
    pub cell_wait: Seconds,

    /// Characters of output that one cell may show; more is cut in the middle
    #[arg(
        long,
        value_parser = whole::<usize>(1..=100_000_000),
        default_value_t = 50_000,
        value_name = "CHARS"
    )]
    pub output_limit: usize,

    /// Megabytes of heap that one attempt may use, its context not counted
    #[arg(
        long,
        value_parser = whole::<u64>(16..=1_000_000),
        default_value_t = 512,
        value_name = "MB"
    )]
    pub memory_limit: u64,

    /// Megabytes of native stack that recursion in a cell may use; 8 are about 12,000 frames
    #[arg(
        long,
        value_parser = whole::<u64>(1..=MAX_STACK_BYTES >> 20),
        default_value_t = 8,
        value_name = "MB"
    )]
    pub stack_limit: u64,

    /// Calls to children and models that one attempt may have pending at a time
    #[arg(
        long,
        value_parser = whole::<u32>(1..=100_000),
        default_value_t = 256,
        value_name = "N"
    )]
    pub pending_calls: u32,

    /// Calls to children and models of one attempt in all
    #[arg(
        long,
        value_parser = whole::<u32>(0..=10_000_000),
        default_value_t = 5_000,
        value_name = "N"
    )]
    pub total_calls: u32,

    /// Characters of the query of such a call, and of its context where the child has no REPL
    #[arg(
        long,
        value_parser = whole::<u32>(1..=500_000_000),
        default_value_t = 20_000_000,
        value_name = "CHARS"
    )]
    pub argument_limit: u32,

    /// Timers of one agent that may be pending at a time
    #[arg(
        long,
        value_parser = whole::<u32>(1..=1_000_000),
        default_value_t = 10_000,
        value_name = "N"
    )]
    pub timer_limit: u32,

    /// Where cells run: in worker processes that have given up files, network and processes; in such processes
    /// or not at all, where the kernel cannot confine them fully (strict); or on threads of this process
    #[arg(
        long,
        default_value = "process",
        value_name = "WHERE",
        value_parser = one_of::<IsolationKind>(["process", "strict", "thread"])
    )]
    pub isolation: IsolationKind,

    /// Attempts whose cells run in one worker process, where processes are few; what ends it ends all of them
    #[arg(
        long,
        value_parser = whole::<u32>(1..=MAX_SESSIONS),
        default_value_t = 1,
        value_name = "N"
    )]
    pub attempts_per_worker: u32,
}

/// Where cells run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IsolationKind {
    /// In worker processes.
    Process,
    /// In worker processes that are fully confined, or not at all.
    Strict,
    /// On threads of this process.
    Thread,
}

/// The argument with which this program starts itself as a worker.
pub const WORKER: &str = "__sandbox-worker";

/// Resident megabytes that a worker process may take beyond its heap before it is ended.
const BEYOND_HEAP: u64 = 1536;

/// Why there is no place for cells to run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Attempts are to share workers, and there are none.
    #[error("--attempts-per-worker: there are no workers with --isolation thread")]
    NoWorkersToShare,
    /// The path of this program, which worker processes are started from, cannot be found out.
    #[error("cannot find this program to start its worker processes: {0}; use --isolation thread")]
    NoProgram(io::Error),
}

impl SandboxArgs {
    /// Limits and printing.
    pub fn config(&self) -> Config {
        Config {
            limits: Limits {
                cell_time: *self.cell_timeout,
                cell_wait: *self.cell_wait,
                heap_bytes: self.memory_limit << 20,
                process_bytes: (self.memory_limit + BEYOND_HEAP) << 20,
                stack_bytes: self.stack_limit << 20,
                pending_calls: self.pending_calls,
                total_calls: self.total_calls,
                argument_chars: self.argument_limit,
                timers: self.timer_limit,
                output_chars: self.output_limit,
            },
            console: self.console,
        }
    }

    /// Where cells run.
    ///
    /// # Errors
    /// [`SandboxError`].
    pub fn isolation(&self) -> Result<Isolation, SandboxError> {
        if self.attempts_per_worker > 1 && self.isolation == IsolationKind::Thread {
            return Err(SandboxError::NoWorkersToShare);
        }
        self.isolation.shared_by(self.attempts_per_worker)
    }
}

impl IsolationKind {
    /// The place, where so many attempts share a worker.
    ///
    /// # Errors
    /// [`SandboxError::NoProgram`].
    pub fn shared_by(self, sessions: u32) -> Result<Isolation, SandboxError> {
        Ok(match self {
            Self::Thread => Isolation::Thread,
            kind => Isolation::Process(WorkerCommand {
                program: env::current_exe().map_err(SandboxError::NoProgram)?,
                arguments: vec![WORKER.to_owned()],
                strict: kind == Self::Strict,
                sessions,
            }),
        })
    }
}
