//! Names that rewriting adds to a cell, and their removal from texts that the model reads.

use std::borrow::Cow;

/// Prefix of the names that rewriting adds. A cell that uses it does not compile.
pub(crate) const RESERVED: &str = "__repl_";
/// Name of the scope object in a rewritten cell. No code contains this name by chance, not even in
/// a string, so it can be removed from the output of cells.
pub(super) const SCOPE: &str = "__repl_scope_hq7z";
/// Name of the runtime object in a rewritten cell.
pub(super) const RUNTIME: &str = "__repl_rt_hq7z";

/// Removes the rewriter's names from a text: an error message that quotes an expression, or the
/// source of a function that the model prints.
pub(crate) fn remove_rewriter_names(text: &str) -> Cow<'_, str> {
    if !text.contains(RESERVED) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let member = format!("{SCOPE}.");
    while let Some(at) = rest.find(RESERVED) {
        let (before, marked) = rest.split_at(at);
        // V8 reformats the expression, with spaces.
        let mut callee = ["(0,", "(0 , "].into_iter();
        if let Some(kept) = callee.find_map(|head| before.strip_suffix(head))
            && let Some(name) = marked.strip_prefix(&member)
        {
            out.push_str(kept);
            let end = name.find(')').unwrap_or(name.len());
            out.push_str(&name[..end]);
            rest = name.get(end + 1..).unwrap_or("");
        } else {
            out.push_str(before);
            rest = if let Some(name) = marked.strip_prefix(&member) {
                name
            } else if let Some(bare) = marked.strip_prefix(SCOPE) {
                // The engine sometimes mentions the object without the property.
                out.push_str("value");
                bare
            } else {
                out.push_str(RESERVED);
                &marked[RESERVED.len()..]
            };
        }
    }
    out.push_str(rest);
    out.into()
}
