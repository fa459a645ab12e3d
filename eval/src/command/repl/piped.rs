//! `rlm-eval repl` with a script on stdin. As on a terminal, a cell ends at the line that completes
//! its syntax.

use std::io::BufRead;

use harness::sandbox::is_unfinished;

use super::root::RootRepl;
use super::show::show;
use crate::error::Error;

/// Runs the cells of a script in order, continuing after a cell that fails.
///
/// # Errors
/// [`Error::Sandbox`], [`Error::Stdin`], [`Error::Stdout`].
pub(super) async fn converse(root: &mut RootRepl, mut input: impl BufRead) -> Result<(), Error> {
    loop {
        let mut cell = String::new();
        while input.read_line(&mut cell).map_err(Error::Stdin)? > 0 && is_unfinished(&cell) {}
        if cell.is_empty() {
            return Ok(());
        }
        if !cell.trim().is_empty() {
            show(&cell, root.run(cell.clone()).await?)?;
        }
    }
}
