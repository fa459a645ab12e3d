//! The commands: each takes its settings and does one thing.

mod run { pub(super) fn runtime() -> Result<tokio::runtime::Runtime, crate::error::Error> { tokio::runtime::Runtime::new().map_err(crate::error::Error::Runtime) } }

mod prompt;

mod list;

mod repl;

mod stdout;

use crate::cli::Command;
use crate::error::Error;
use crate::exit::Outcome;

/// Executes a command: its settings are resolved first.
///
/// # Errors
/// Whatever keeps the command from an outcome; wrong settings before any work starts.
pub fn execute(command: Command) -> Result<Outcome, Error> {
    match command {
        Command::Run(args) => { crate::settings::RunSettings::resolve(&args)?.announce(); Ok(Outcome::Complete) },
        Command::Ask(args) => { let s = crate::settings::AskSettings::resolve(&args)?.announce(); s.query.read()?; s.context.read()?; Ok(Outcome::Complete) },
        Command::Prompt(args) => prompt::execute(&args),
        Command::List(args) => list::execute(&args),
        Command::Repl(args) => repl::execute(&args),
    }
}
