//! Flags of the JavaScript REPL: limits, printing and isolation.

use std::{env, io};

use clap::Args;
use harness::sandbox::{
    BEYOND_HEAP_MEGABYTES, COMPILES, Config, Console, HEAP_MEGABYTES, Isolation, Limits,
    MAX_SESSIONS, MAX_STACK_BYTES, WorkerCommand,
};
use serde::Serialize;

use super::flags::NotFromFile;
use super::values::{Seconds, one_of, whole};
use super::{IsolationKind, SettingsError};

/// Limits and printing of the REPL.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "REPL")]
pub struct SandboxArgs {
    /// How console.log prints values: like Node.js (node), or String(value) of each argument,
    /// joined by spaces (plain)
    #[arg(
        long,
        default_value = "node",
        value_name = "STYLE",
        value_parser = one_of::<Console>(["node", "plain"])
    )]
    pub console: Console,

    /// CPU time limit of one cell in seconds; time spent waiting for children and models does not
    /// count
    #[arg(
        long,
        default_value_t = Seconds::of(120),
        value_name = "SECONDS"
    )]
    pub cell_timeout: Seconds,

    /// Seconds that one cell may wait for timers
    #[arg(
        long = "timer-timeout",
        alias = "cell-wait",
        default_value_t = Seconds::of(30),
        value_name = "SECONDS"
    )]
    #[serde(rename = "cell_wait")]
    pub timer_timeout: Seconds,

    /// Maximum characters of a cell's output; the middle of longer output is removed
    #[arg(
        long,
        value_parser = whole::<usize>(1..=100_000_000),
        default_value_t = 50_000,
        value_name = "CHARS"
    )]
    pub output_limit: usize,

    /// Maximum heap of one attempt in megabytes, not counting its context
    #[arg(
        long,
        value_parser = whole::<u64>(16..=1_000_000),
        default_value_t = HEAP_MEGABYTES,
        value_name = "MB"
    )]
    pub memory_limit: u64,

    /// Maximum native stack for recursion in a cell, in megabytes; 8 MB are about 12,000 frames
    #[arg(
        long,
        value_parser = whole::<u64>(1..=MAX_STACK_BYTES >> 20),
        default_value_t = 8,
        value_name = "MB"
    )]
    pub stack_limit: u64,

    /// Maximum concurrent calls from one attempt to children and models
    #[arg(
        long,
        value_parser = whole::<u32>(1..=100_000),
        default_value_t = 256,
        value_name = "N"
    )]
    pub pending_calls: u32,

    /// Maximum total calls from one attempt to children and models
    #[arg(
        long,
        value_parser = whole::<u32>(0..=10_000_000),
        default_value_t = 5_000,
        value_name = "N"
    )]
    pub total_calls: u32,

    /// Maximum characters of the query in a call to a child or model, and of the context if the
    /// child has no REPL
    #[arg(
        long,
        value_parser = whole::<u32>(1..=500_000_000),
        default_value_t = 20_000_000,
        value_name = "CHARS"
    )]
    pub argument_limit: u32,

    /// Maximum pending timers of one agent
    #[arg(
        long,
        value_parser = whole::<u32>(1..=1_000_000),
        default_value_t = 10_000,
        value_name = "N"
    )]
    pub timer_limit: u32,

    /// Attempts that share one worker process, to use fewer processes; if the worker crashes, all
    /// of its attempts fail
    #[arg(
        long,
        value_parser = whole::<u32>(1..=MAX_SESSIONS),
        default_value_t = 1,
        value_name = "N",
        add = NotFromFile
    )]
    pub attempts_per_worker: u32,

    /// Make V8 interpret cells instead of compiling them, so that a worker needs no executable
    /// memory; for hostile models. Numeric loops take about ten times the CPU time
    #[arg(long)]
    pub jitless: bool,
}

/// Argument with which this program starts itself as a worker process.
pub const WORKER: &str = "__sandbox-worker";

/// The requested isolation of cells is not possible.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Attempts cannot share workers, because cells run on threads.
    #[error("--attempts-per-worker: --isolation thread does not use workers")]
    NoWorkersToShare,
    /// Compilation cannot be disabled, because the engine never compiles.
    #[error(
        "--jitless has no effect: this program's engine, QuickJS, never compiles to machine code"
    )]
    NoCompiler,
    /// Disabling compilation does not protect a process that cells share.
    #[error(
        "--jitless: with --isolation thread, cells share this process, which has executable memory; use --isolation process"
    )]
    NoWorkersToConfine,
    /// The path of this program, which is needed to start workers, is unknown.
    #[error("cannot find this program to start its worker processes: {0}; use --isolation thread")]
    NoProgram(io::Error),
}

impl SandboxArgs {
    /// Returns the limits and the print style.
    pub fn config(&self) -> Config {
        Config {
            limits: Limits {
                cell_time: *self.cell_timeout,
                timer_timeout: *self.timer_timeout,
                heap_bytes: self.memory_limit << 20,
                process_bytes: (self.memory_limit + BEYOND_HEAP_MEGABYTES) << 20,
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

    /// Returns the isolation of cells.
    ///
    /// # Errors
    /// [`SandboxError`].
    pub fn isolation(&self, kind: IsolationKind) -> Result<Isolation, SandboxError> {
        if self.attempts_per_worker > 1 && kind == IsolationKind::Thread {
            return Err(SandboxError::NoWorkersToShare);
        }
        if self.jitless && kind == IsolationKind::Thread {
            return Err(SandboxError::NoWorkersToConfine);
        }
        if self.jitless && !COMPILES {
            return Err(SandboxError::NoCompiler);
        }
        kind.of(self.attempts_per_worker, self.jitless)
    }
}

impl IsolationKind {
    /// Returns the isolation in which `sessions` attempts share a worker; `jitless` disables
    /// compilation.
    ///
    /// # Errors
    /// [`SandboxError::NoProgram`].
    pub fn of(self, sessions: u32, jitless: bool) -> Result<Isolation, SandboxError> {
        Ok(match self {
            Self::Thread => Isolation::Thread,
            kind => Isolation::Process(WorkerCommand {
                program: env::current_exe().map_err(SandboxError::NoProgram)?,
                arguments: vec![WORKER.to_owned()],
                strict: kind == Self::Strict,
                sessions,
                jitless,
            }),
        })
    }
}

impl From<SandboxError> for SettingsError {
    fn from(error: SandboxError) -> Self {
        Self::new(error.to_string())
    }
}
