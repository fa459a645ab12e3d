//! Standard output, which contains only results.
//!
//! A reader that closes the pipe early is not an error.

use std::io::{self, Write as _};

use crate::error::Error;
use crate::settings::table_width;

/// Prints a table. `table` formats it for the width of the terminal, in columns.
///
/// # Errors
/// [`Error::Stdout`].
pub(super) fn write_table(table: impl FnOnce(u16) -> String) -> Result<(), Error> {
    write(&table(table_width()))
}

/// Writes a text to stdout and flushes it.
///
/// If the reader has closed the pipe, the text is discarded without an error.
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

/// Writes a value to stdout as indented JSON.
///
/// # Errors
/// [`Error::Stdout`].
pub(super) fn write_json(value: &impl serde::Serialize) -> Result<(), Error> {
    let json = serde_json::to_string_pretty(value).map_err(|error| Error::Stdout(error.into()))?;
    write(&(json + "\n"))
}
