//! `rlm-eval repl` with a script on stdin: cells end where they are complete, as they do on a terminal.

use std::io::BufRead;

use harness::sandbox::is_unfinished;

use super::root::Root;
use super::show::show;
use crate::error::Error;

/// Runs the cells of a script one after another, also after one that failed.
///
/// # Errors
/// [`Error::Sandbox`], [`Error::Stdin`], [`Error::Stdout`].
pub(super) async fn converse(root: &mut Root, mut input: impl BufRead) -> Result<(), Error> {
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
