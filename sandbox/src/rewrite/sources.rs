//! The original source of each function in a session's cells, found by its rewritten text.
//!
//! The engine knows only a function's rewritten text, so that is the key. If rewriting makes two
//! functions equal, both show the source of the later one.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::edits::Edited;

/// Maximum bytes of functions recorded per cell, where nested functions count again.
const CELL_BYTES: usize = 4 << 20;
/// Maximum bytes of cells kept per session.
const SESSION_BYTES: usize = 32 << 20;

/// A function of a cell.
#[derive(Debug)]
pub(super) struct Function {
    /// Its range in the wrapped cell, in bytes.
    pub span: Range<usize>,
    /// The marks at its two ends.
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
    /// Adds a cell's functions, unless the session keeps too much already.
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

    /// Returns the source of the function with this rewritten text.
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
