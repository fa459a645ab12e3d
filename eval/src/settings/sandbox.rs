//! Flags of the JavaScript REPL: limits, printing and isolation.

use std::{env, io};

use clap::Args;
use harness::sandbox::{COMPILES, Isolation, MAX_SESSIONS, WorkerCommand};
use harness::settings::ReplSettings;
use serde::Serialize;

use super::flags::NotFromFile;
use super::values::whole;
use super::{IsolationKind, SettingsError};

/// Settings of the REPL and of its worker processes.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "REPL")]
pub struct SandboxArgs {
    /// Limits and printing of the REPL.
    #[command(flatten)]
    #[serde(flatten)]
    pub repl: ReplSettings,

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
    /// Returns the isolation of cells.
    ///
    /// # Errors
    /// [`SandboxError`].
    pub fn isolation(&self, kind: IsolationKind) -> Result<Isolation, SandboxError> {
        if self.attempts_per_worker > 1 && kind == IsolationKind::Thread {
            return Err(SandboxError::NoWorkersToShare);
        }
        if self.repl.jitless && kind == IsolationKind::Thread {
            return Err(SandboxError::NoWorkersToConfine);
        }
        if self.repl.jitless && !COMPILES {
            return Err(SandboxError::NoCompiler);
        }
        kind.of(self.attempts_per_worker, self.repl.jitless)
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
