//! `eval repl`: the JavaScript REPL that agents work in, without a model.

mod interactive;
mod json_lines;
mod piped;

mod root;
mod show;
mod unfinished;

use std::io::{self, IsTerminal as _};

use root::Root;

use harness::sandbox::Sandbox;

use super::run::runtime;
use crate::cli::ReplArgs;
use crate::error::Error;
use crate::exit::Outcome;
use crate::settings::{ReplSettings, SandboxSettings};
use crate::terminal;

/// Runs cells from stdin until it ends: JSON objects, what a user types, or a script.
///
/// # Errors
/// [`Error::Settings`] for flags that are wrong or a context that cannot be read, and whatever keeps the sandbox from starting or
/// the streams from being read and written. What cells do is never one.
pub(super) fn execute(args: &ReplArgs) -> Result<Outcome, Error> {
    let settings = ReplSettings::resolve(args)?;
    let context = settings.context.read()?;
    let SandboxSettings { config, isolation } = settings.sandbox;
    let sandbox = Sandbox::new(config, isolation, terminal::warning)?;
    let mut root = Root::new(sandbox, context);
    runtime()?.block_on(async {
        if settings.json {
            json_lines::converse(&mut root, io::stdin().lock(), io::stdout().lock()).await
        } else if io::stdin().is_terminal() {
            interactive::converse(&mut root, settings.history.as_deref()).await
        } else {
            piped::converse(&mut root, io::stdin().lock()).await
        }
    })?;
    Ok(Outcome::Complete)
}
