//! `rlm-eval repl` on a terminal, with line editing, history and multi-line cells.

use std::fs;
use std::io;
use std::path::Path;

use harness::sandbox::is_unfinished;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Completer, Editor, Helper, Highlighter, Hinter};

use super::root::{FRESH_SESSION, RootRepl};
use super::show::{print_stderr, show};
use crate::error::Error;

/// Maximum cells kept in the history.
const HISTORY_CELLS: usize = 1_000;

/// Runs typed cells until Ctrl-D. Ctrl-C clears the line or, while a cell runs, abandons the
/// session.
///
/// # Errors
/// [`Error::Sandbox`], [`Error::Stdin`], [`Error::Stdout`].
pub(super) async fn converse(root: &mut RootRepl, history: Option<&Path>) -> Result<(), Error> {
    let mut editor = editor().map_err(unreadable)?;
    let mut history = history.filter(|path| match open_history(&mut editor, path) {
        Ok(()) => true,
        Err(error) => {
            print_stderr(&format!(
                "note: history is unavailable: {}: {error}",
                path.display()
            ));
            false
        }
    });
    print_stderr(
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
            print_stderr(&format!(
                "note: history is unavailable: {}: {error}",
                path.display()
            ));
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
            print_stderr(&format!("interrupted; {FRESH_SESSION}"));
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

/// Loads the history, creating its folder if necessary.
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

/// Continues a cell on the next line while it is syntactically incomplete.
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
