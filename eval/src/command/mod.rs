//! The program's commands. Each resolves its settings, does its work, and returns an [`Outcome`].

mod run;

pub(crate) mod fork;
mod sweep;

pub(crate) mod queue;
pub(crate) mod worker;

pub(crate) mod ask;
pub(crate) mod mcp;
pub(crate) mod serve;

pub(crate) mod compare;
pub(crate) mod merge;

pub(crate) mod score;

pub(crate) mod import;

pub(crate) mod prompt;
pub(crate) mod report;
pub(crate) mod view;

pub(crate) mod data;
pub(crate) mod list;

mod raised_budget;

pub(crate) mod repl;

mod runtime;
mod stdout;

use crate::cli::Command;
use crate::error::Error;
use crate::exit::Outcome;

/// Executes a command, resolving its settings first.
///
/// # Errors
/// Any error that prevents an outcome. Invalid settings are reported before work starts.
pub fn execute(command: Command) -> Result<Outcome, Error> {
    match command {
        Command::Run(args) => run::execute(&args),
        Command::Resume(args) => run::resume(&args, &run::RunContext::Standalone),
        Command::Fork(args) => fork::execute(&args),
        Command::Sweep(args) => sweep::execute(&args),
        Command::Ask(args) => ask::execute(&args),
        Command::Serve(args) => serve::execute(&args),
        Command::Mcp(args) => mcp::execute(&args),
        Command::Report(args) => report::execute(&args),
        Command::Compare(args) => compare::execute(&args),
        Command::Merge(args) => merge::execute(&args),
        Command::Worker(args) => worker::execute(&args),
        Command::Queue(args) => queue::execute(&args),
        Command::Score(args) => score::execute(&args),
        Command::View(args) => view::execute(&args),
        Command::Import(args) => import::execute(&args),
        Command::Prompt(args) => prompt::execute(&args),
        Command::Data(args) => data::execute(&args),
        Command::List(args) => list::execute(&args),
        Command::Repl(args) => repl::execute(&args),
    }
}
