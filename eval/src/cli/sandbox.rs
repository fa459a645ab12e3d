//! Flags of the JavaScript REPL: its limits and how it prints.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use harness::sandbox::Console;
use serde::{Deserialize, Serialize};

use super::number::{decimal, whole};

/// Limits and printing of the REPL.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[command(next_help_heading = "REPL")]
pub struct SandboxArgs {
    /// How console.log prints values: as Node.js does, or String(value) of each, joined by spaces
    #[arg(
        long,
        default_value = "node",
        value_name = "STYLE",
        value_parser = console_style()
    )]
    pub console: Console,

    /// CPU seconds that one cell may execute; waiting for children and models is free
    #[arg(
        long,
        value_parser = decimal,
        default_value_t = 120.0,
        value_name = "SECONDS"
    )]
    pub cell_timeout: f64,

    /// Seconds that one cell may wait for timers
    #[arg(
        long,
        value_parser = decimal,
        default_value_t = 30.0,
        value_name = "SECONDS"
    )]
    pub cell_wait: f64,

    /// Characters of output that one cell may show; more is cut in the middle
    #[arg(
        long,
        value_parser = whole::<u64>,
        default_value_t = 50_000,
        value_name = "CHARS"
    )]
    pub output_limit: u64,

    /// Megabytes of heap that one attempt may use, its context not counted
    #[arg(
        long,
        value_parser = whole::<u64>,
        default_value_t = 512,
        value_name = "MB"
    )]
    pub memory_limit: u64,

    /// Megabytes of native stack that recursion in a cell may use; 8 are about 12,000 frames
    #[arg(
        long,
        value_parser = whole::<u64>,
        default_value_t = 8,
        value_name = "MB"
    )]
    pub stack_limit: u64,

    /// Calls to children and models that one attempt may have pending at a time
    #[arg(
        long,
        value_parser = whole::<u32>,
        default_value_t = 256,
        value_name = "N"
    )]
    pub pending_calls: u32,

    /// Calls to children and models of one attempt in all
    #[arg(
        long,
        value_parser = whole::<u32>,
        default_value_t = 5_000,
        value_name = "N"
    )]
    pub total_calls: u32,

    /// Characters of the query of such a call, and of its context where the child has no REPL
    #[arg(
        long,
        value_parser = whole::<u32>,
        default_value_t = 20_000_000,
        value_name = "CHARS"
    )]
    pub argument_limit: u32,

    /// Timers of one agent that may be pending at a time
    #[arg(
        long,
        value_parser = whole::<u32>,
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
        value_parser = isolation_kind()
    )]
    pub isolation: IsolationKind,

    /// Attempts whose cells run in one worker process, where processes are few; what ends it ends all of them
    #[arg(
        long,
        value_parser = whole::<u32>,
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

fn isolation_kind() -> impl TypedValueParser<Value = IsolationKind> {
    PossibleValuesParser::new(["process", "strict", "thread"]).map(|word| match word.as_str() {
        "strict" => IsolationKind::Strict,
        "thread" => IsolationKind::Thread,
        _ => IsolationKind::Process,
    })
}

fn console_style() -> impl TypedValueParser<Value = Console> {
    PossibleValuesParser::new(["node", "plain"]).map(|word| match word.as_str() {
        "plain" => Console::Plain,
        _ => Console::Node,
    })
}
