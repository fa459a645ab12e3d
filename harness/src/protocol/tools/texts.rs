//! User messages of an agent with native tools.

use crate::prompt::sections::{
    TURN_TOOLS, TURN_TOOLS_CUT_OFF, TURN_TOOLS_EMPTY, TURN_TOOLS_IN_TEXT, TURN_TOOLS_LAST,
    TURN_TOOLS_REQUIRED,
};

/// Notes to an agent with native tools, besides the results of its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolsNote {
    /// The next response is its last.
    Last,
    /// Its response had neither a call nor text.
    Empty,
    /// Its response did not contain the required tool call.
    Required,
    /// Its response was truncated.
    CutOff,
    /// Its response contained a tool call as text.
    InText,
}

/// Returns the first message if the context is too long to be part of it; `length` is the number of
/// characters of the context.
pub(super) fn large_context_message(query: &str, length: u64) -> String {
    TURN_TOOLS.render([&length.to_string(), query])
}

/// Returns the text of a note.
pub(super) fn tools_note(note: ToolsNote) -> String {
    match note {
        ToolsNote::Last => TURN_TOOLS_LAST.render([]),
        ToolsNote::Empty => TURN_TOOLS_EMPTY.render([]),
        ToolsNote::Required => TURN_TOOLS_REQUIRED.render([]),
        ToolsNote::CutOff => TURN_TOOLS_CUT_OFF.render([]),
        ToolsNote::InText => TURN_TOOLS_IN_TEXT.render([]),
    }
}
