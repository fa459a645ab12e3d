//! Standard output, where results go.

use std::io::{self, Write as _};

use crate::error::Error;
use crate::settings::table_width;

/// Writes what is laid out for a width of the terminal on stdout: a table.
///
/// # Errors
/// [`Error::Stdout`].
pub(super) fn write_table(table: impl FnOnce(u16) -> String) -> Result<(), Error> {
    write(&table(table_width()))
}

/// Writes a text on stdout at once.
///
/// A reader that has seen enough and closed the pipe is no error: the text goes nowhere.
///
/// # Errors
/// [`Error::Stdout`].
pub(super) fn write(text: &str) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Stdout(error)),
        _ => Ok(()),
    }
}

/// Writes a value on stdout as indented JSON.
///
/// # Errors
/// [`Error::Stdout`].
pub(super) fn write_json(value: &impl serde::Serialize) -> Result<(), Error> {
    let json = serde_json::to_string_pretty(value).map_err(|error| Error::Stdout(error.into()))?;
    write(&(json + "\n"))
}
