//! The texts of the JSON action protocol besides the system prompt.

use super::sections::{
    JSON_ACTION_APPS_ENTRY, JSON_ACTION_APPS_NOTE, JSON_ACTION_DOCS_ENTRY, JSON_ACTION_DOCS_NOTE,
    JSON_ACTION_MALFORMED, JSON_ACTION_REPEATED,
};

/// The note beside the list of apps. `repeated`: how often the list was asked for, and how often it still may be, where it is not
/// the first time.
pub fn apps_note(repeated: Option<(u32, u32)>) -> String {
    with_repeated(JSON_ACTION_APPS_NOTE.render([]), repeated)
}

/// The note beside the list of documents; `repeated` as for [`apps_note`].
pub fn docs_note(repeated: Option<(u32, u32)>) -> String {
    with_repeated(JSON_ACTION_DOCS_NOTE.render([]), repeated)
}

/// The entry of the history that says that the list of apps was asked for.
pub fn apps_entry() -> String {
    JSON_ACTION_APPS_ENTRY.render([])
}

/// The entry of the history that says that the list of documents was asked for.
pub fn docs_entry() -> String {
    JSON_ACTION_DOCS_ENTRY.render([])
}

/// The entry of the history that says what was wrong with the last response.
pub fn malformed_entry(problem: &str) -> String {
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
