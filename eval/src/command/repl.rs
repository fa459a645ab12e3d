//! `rlm-eval repl`: the agents' JavaScript REPL, without a model.
//!
//! Cells come from a terminal, from a script on stdin, or as JSON lines from a program.

mod settings;
mod interactive;
mod json_lines;
mod piped;

mod root;
mod show;

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use root::RootRepl;

use harness::sandbox::Sandbox;

use super::runtime::runtime;
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::terminal;
use crate::settings::{ContextSource, SettingsError, history_file};

pub(crate) use settings::ReplArgs;

/// Runs the cells on stdin, which are JSON lines, typed lines or a script, until stdin ends.
///
/// # Errors
/// [`Error::Settings`] for invalid flags or an unreadable context, and errors of the sandbox and
/// the standard streams. A failing cell is not an error.
pub(super) fn execute(args: &ReplArgs) -> Result<Outcome, Error> {
    let context = match &args.context_file {
        Some(file) => ContextSource::File(file.clone()).read()?,
        None => Arc::default(),
    };
    let isolation = args
        .sandbox
        .isolation(args.isolation.kind)
        .map_err(SettingsError::from)?;
    let sandbox = Sandbox::new(args.sandbox.repl.config(), isolation, terminal::warning)?;
    let mut root = RootRepl::new(sandbox, context);
    runtime()?.block_on(async {
        if args.json {
            json_lines::converse(&mut root, io::stdin().lock(), io::stdout().lock()).await
        } else if io::stdin().is_terminal() {
            interactive::converse(&mut root, history_file().as_deref()).await
        } else {
            piped::converse(&mut root, io::stdin().lock()).await
        }
    })?;
    Ok(Outcome::Complete)
}
