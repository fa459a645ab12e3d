//! `rlm-eval repl` on a terminal: line editing, history, and cells of several lines.

use std::fs;
use std::io;
use std::path::Path;

use harness::sandbox::is_unfinished;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Completer, Editor, Helper, Highlighter, Hinter};

use super::root::{FRESH_SESSION, Root};
use super::show::{complain, show};
use crate::error::Error;

/// What the user typed last is kept, up to this many cells.
const HISTORY_CELLS: usize = 1_000;

/// Runs what the user types until Ctrl-D. Ctrl-C clears the line; while a cell runs, it gives the session
/// up.
///
/// # Errors
/// [`Error::Sandbox`], [`Error::Stdin`], [`Error::Stdout`].
pub(super) async fn converse(root: &mut Root, history: Option<&Path>) -> Result<(), Error> {
    let mut editor = editor().map_err(unreadable)?;
    let mut history = history.filter(|path| match open_history(&mut editor, path) {
        Ok(()) => true,
        Err(error) => {
            complain(&format!("note: no history, {}: {error}", path.display()));
            false
        }
    });
    complain(
        "The JavaScript REPL of agents, without a model. Ctrl-C clears the line, Ctrl-D ends.",
    );
    loop {
        let code = match editor.readline("> ") {
            Ok(code) => code,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(unreadable(error)),
        };
        if code.trim().is_empty() {
            continue;
        }
        let added = editor.add_history_entry(code.as_str());
        if let Some(path) = history
            && let Err(error) = added.and_then(|_| editor.append_history(path))
        {
            complain(&format!("note: no history, {}: {error}", path.display()));
            history = None;
        }
        let ran = tokio::select! {
            ran = root.run(code.clone()) => Some(ran?),
            _ = tokio::signal::ctrl_c() => None,
        };
        if let Some(ran) = ran {
            show(&code, ran)?;
        } else {
            root.abandon();
            complain(&format!("interrupted; {FRESH_SESSION}"));
        }
    }
}

fn editor() -> rustyline::Result<Editor<Cells, FileHistory>> {
    let config = rustyline::Config::builder()
        .max_history_size(HISTORY_CELLS)?
        .history_ignore_dups(true)?
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Cells));
    Ok(editor)
}

/// Loads the history, and makes the folder for it where it is missing.
fn open_history(editor: &mut Editor<Cells, FileHistory>, path: &Path) -> rustyline::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match editor.load_history(path) {
        Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        loaded => loaded,
    }
}

fn unreadable(error: ReadlineError) -> Error {
    Error::Stdin(match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other),
    })
}

/// Lets a cell go on to the next line while something in it is open.
#[derive(Completer, Helper, Highlighter, Hinter)]
struct Cells;

impl Validator for Cells {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        Ok(if is_unfinished(&format!("{}\n", context.input())) {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}
