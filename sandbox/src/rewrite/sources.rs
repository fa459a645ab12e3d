//! Original sources of the functions in a session's cells, looked up by their rewritten text.
//!
//! The rewritten text is the key because the engine knows only that text. If rewriting makes two
//! functions equal, both show the source of the later one.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::edits::Edited;

/// Maximum total bytes of the rewritten functions recorded per cell. A nested function also counts
/// as part of the function around it.
const CELL_BYTES: usize = 4 << 20;
/// Maximum total bytes of the cells kept per session.
const SESSION_BYTES: usize = 32 << 20;

/// A function of a cell.
#[derive(Debug)]
pub(super) struct Function {
    /// Byte range of the function in the wrapped cell.
    pub span: Range<usize>,
    /// Marks at the start and end of the function.
    pub marks: (usize, usize),
}

/// Functions of one cell that rewriting changed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct CellSources {
    text: Arc<str>,
    functions: Vec<(u64, Range<usize>)>,
}

impl CellSources {
    pub(super) fn new(full: &str, edited: &Edited, functions: Vec<Function>) -> Self {
        let mut left = CELL_BYTES;
        let mut changed = Vec::new();
        for Function { span, marks } in functions {
            let text = &edited.text[edited.marks[marks.0]..edited.marks[marks.1]];
            if text == &full[span.clone()] {
                continue;
            }
            let Some(rest) = left.checked_sub(text.len()) else {
                continue;
            };
            left = rest;
            changed.push((hash(text), span));
        }
        if changed.is_empty() {
            return Self::default();
        }
        Self {
            text: full.into(),
            functions: changed,
        }
    }
}

/// Functions of a session.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    by_rewritten: HashMap<u64, (Arc<str>, Range<usize>)>,
    bytes: usize,
}

impl Sources {
    /// Adds a cell's functions. Ignores all cells from the one that exceeds [`SESSION_BYTES`].
    pub fn add(&mut self, cell: CellSources) {
        self.bytes = self.bytes.saturating_add(cell.text.len());
        if self.bytes > SESSION_BYTES {
            return;
        }
        for (key, span) in cell.functions {
            self.by_rewritten
                .insert(key, (Arc::clone(&cell.text), span));
        }
    }

    /// Returns the original source of the function with this rewritten text.
    pub fn find(&self, rewritten: &str) -> Option<&str> {
        let (text, span) = self.by_rewritten.get(&hash(rewritten))?;
        text.get(span.clone())
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
