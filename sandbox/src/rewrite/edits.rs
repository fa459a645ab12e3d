//! Text edits collected while walking a syntax tree, applied in one pass.

/// One replacement of `start..end` (bytes of the wrapped cell) by `text`.
#[derive(Debug)]
pub(super) struct Edit {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// A list of edits. At one place they apply in the order in which they were pushed.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<Edit>);

impl Edits {
    pub fn replace(&mut self, start: u32, end: u32, text: impl Into<String>) {
        let (start, end) = (start as usize, end as usize);
        self.0.push(Edit {
            start,
            end,
            text: text.into(),
        });
    }

    pub fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.replace(at, at, text);
    }

    /// Applies the edits to `full` and puts `head` in at byte `head_at`.
    pub fn apply(mut self, full: &str, head_at: usize, head: &str) -> String {
        self.0.sort_by_key(|edit| (edit.start, edit.end));
        let mut out = String::with_capacity(full.len() * 2);
        let mut from = 0;
        let mut head = Some(head);
        for edit in &self.0 {
            if edit.start >= head_at
                && let Some(text) = head.take()
            {
                out.push_str(&full[from..head_at]);
                out.push_str(text);
                from = head_at;
            }
            out.push_str(&full[from..edit.start]);
            out.push_str(&edit.text);
            from = edit.end;
        }
        if let Some(text) = head {
            out.push_str(&full[from..head_at]);
            out.push_str(text);
            from = head_at;
        }
        out.push_str(&full[from..]);
        out
    }
}
