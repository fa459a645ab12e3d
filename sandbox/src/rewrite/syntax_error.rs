//! Errors of cells and modules that are not valid JavaScript.

use oxc_diagnostics::OxcDiagnostic;

use super::python;
use super::wrapper::BEFORE;

/// A cell that is not valid JavaScript.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("SyntaxError: {message} (line {line}, column {column})")]
pub struct SyntaxError {
    /// Message of the parser, with its case unchanged because it quotes code.
    pub message: String,
    /// Line of the cell, 1-based.
    pub line: usize,
    /// Column of the line in characters, 1-based.
    pub column: usize,
}

impl SyntaxError {
    /// Adds a hint if the code looks like Python.
    pub(super) fn with_hint(mut self, source: &str) -> Self {
        if python::is_likely(source) {
            self.message
                .push_str(": this looks like Python, but the REPL runs JavaScript");
        }
        self
    }

    /// Creates an error at a byte offset of the wrapped cell.
    pub(super) fn at(source: &str, offset_in_full: usize, message: &str) -> Self {
        Self::in_text(source, offset_in_full.saturating_sub(BEFORE.len()), message)
    }

    /// Creates an error from the first label of a parser's error. The text begins at byte `start`
    /// of the parsed text.
    pub(super) fn of_diagnostic(source: &str, diagnostic: &OxcDiagnostic, start: usize) -> Self {
        let label = diagnostic.labels.first();
        let offset = label.map_or(0, |label| label.offset() as usize);
        Self::in_text(source, offset.saturating_sub(start), &diagnostic.message)
    }

    /// Creates an error at a byte offset of the cell's text.
    pub(super) fn in_text(source: &str, offset: usize, message: &str) -> Self {
        let mut offset = offset.min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &source[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            message: message.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}
