//! Prints the outcome of a cell for a person.

use std::io::{self, Write as _};
use std::iter;

use harness::sandbox::message::{CellError, CellOutcome};
use harness::sandbox::{SessionLost, ends_in_a_bare_value};

use super::root::FRESH_SESSION;
use crate::command::stdout;
use crate::error::Error;
use crate::process::terminal::plain_text;

/// Prints output and the returned value on stdout, and an error with its stack frames on stderr.
/// Adds a note if `code` ends with an expression whose value a person expects to see.
///
/// # Errors
/// [`Error::Stdout`].
pub(super) fn show(code: &str, ran: Result<CellOutcome, SessionLost>) -> Result<(), Error> {
    let outcome = match ran {
        Ok(outcome) => outcome,
        Err(lost) => {
            print_stderr(&format!("{lost}; {FRESH_SESSION}"));
            return Ok(());
        }
    };
    if !outcome.output.is_empty() {
        stdout::write(&format!("{}\n", plain_text(&outcome.output)))?;
    }
    let is_silent = outcome.error.is_none() && outcome.value.is_none();
    if outcome.output.is_empty() && is_silent && ends_in_a_bare_value(code) {
        print_stderr("note: only printed values are shown: console.log(…)");
    }
    if let Some(CellError { message, stack, .. }) = outcome.error {
        let lines =
            iter::once(message).chain(stack.into_iter().map(|frame| format!("    {frame}")));
        print_stderr(&lines.collect::<Vec<_>>().join("\n"));
    }
    if let Some(value) = outcome.value {
        stdout::write(&format!("returned: {}\n", plain_text(&value)))?;
    }
    Ok(())
}

pub(super) fn print_stderr(text: &str) {
    // A failure to write to stderr cannot be reported anywhere.
    let _ = writeln!(io::stderr(), "{}", plain_text(text));
}
