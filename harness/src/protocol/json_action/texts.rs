//! Texts of the JSON action protocol other than the system prompt.

use crate::prompt::sections::{
    JSON_ACTION_APPS_ENTRY, JSON_ACTION_APPS_NOTE, JSON_ACTION_DOCS_ENTRY, JSON_ACTION_DOCS_NOTE,
    JSON_ACTION_MALFORMED, JSON_ACTION_REPEATED,
};

/// Returns the note next to the list of apps. For a repeated request, `repeated` contains the
/// number of requests so far and the number of requests left.
pub(super) fn apps_note(repeated: Option<(u32, u32)>) -> String {
    with_repeated(JSON_ACTION_APPS_NOTE.render([]), repeated)
}

/// Returns the note next to the list of documents; for `repeated`, see [`apps_note`].
pub(super) fn docs_note(repeated: Option<(u32, u32)>) -> String {
    with_repeated(JSON_ACTION_DOCS_NOTE.render([]), repeated)
}

/// Returns the history entry about a request for the list of apps.
pub(super) fn apps_entry() -> String {
    JSON_ACTION_APPS_ENTRY.render([])
}

/// Returns the history entry about a request for the list of documents.
pub(super) fn docs_entry() -> String {
    JSON_ACTION_DOCS_ENTRY.render([])
}

/// Returns the history entry that explains what was wrong with the last response.
pub(super) fn malformed_entry(problem: &str) -> String {
    JSON_ACTION_MALFORMED.render([problem])
}

fn with_repeated(note: String, repeated: Option<(u32, u32)>) -> String {
    match repeated {
        None => note,
        Some((count, left)) => {
            let more = JSON_ACTION_REPEATED.render([&count.to_string(), &left.to_string()]);
            format!("{note} {more}")
        }
    }
}
