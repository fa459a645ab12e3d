//! Text edits, collected during a walk over a syntax tree and applied in one pass.

/// Replacement of the byte range `start..end` by `text`.
#[derive(Debug)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
    /// Number of the mark, if the edit is a mark.
    mark: Option<usize>,
}

/// A list of edits. Edits of the same range are applied in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Edits {
    edits: Vec<Edit>,
    marks: usize,
}

/// Edited text, and the position of each mark in it.
pub(super) struct Edited {
    pub text: String,
    pub marks: Vec<usize>,
}

impl Edits {
    pub fn replace(&mut self, start: u32, end: u32, text: impl Into<String>) {
        let (start, end) = (start as usize, end as usize);
        self.edits.push(Edit {
            start,
            end,
            text: text.into(),
            mark: None,
        });
    }

    pub fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.replace(at, at, text);
    }

    /// Marks a place. Earlier insertions at the same place come before the mark, later ones after
    /// it. Returns the mark's number.
    pub fn mark(&mut self, at: u32) -> usize {
        let mark = self.marks;
        self.marks += 1;
        self.edits.push(Edit {
            start: at as usize,
            end: at as usize,
            text: String::new(),
            mark: Some(mark),
        });
        mark
    }

    /// Applies the edits to `full` and inserts `head` at byte `head_at`.
    pub fn apply(mut self, full: &str, head_at: usize, head: &str) -> Edited {
        self.edits.sort_by_key(|edit| (edit.start, edit.end));
        let mut out = String::with_capacity(full.len() * 2);
        let mut from = 0;
        let mut head = Some(head);
        let mut marks = vec![0; self.marks];
        for edit in &self.edits {
            if edit.start >= head_at
                && let Some(text) = head.take()
            {
                out.push_str(&full[from..head_at]);
                out.push_str(text);
                from = head_at;
            }
            out.push_str(&full[from..edit.start]);
            if let Some(mark) = edit.mark {
                marks[mark] = out.len();
            }
            out.push_str(&edit.text);
            from = edit.end;
        }
        if let Some(text) = head {
            out.push_str(&full[from..head_at]);
            out.push_str(text);
            from = head_at;
        }
        out.push_str(&full[from..]);
        Edited { text: out, marks }
    }
}
