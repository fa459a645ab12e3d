//! Texts about prompts that are called as tools: their results, attachments, and notes about them.

use crate::prompt::definition::fence_untrusted;
use crate::prompt::sections::{
    NOTE_AGENT_DONE, NOTE_AGENT_READY, NOTE_AGENT_STARTED, SUBPROMPT_CALL, SUBPROMPT_ERROR,
};

/// Formats a tool call that a sub-prompt made, with its result or error.
pub(in crate::protocol) fn subprompt_call(
    name: &str,
    arguments: &str,
    shown: &str,
    worked: bool,
) -> String {
    let outcome = if worked { "result" } else { "failed" };
    SUBPROMPT_CALL.render([arguments, name, outcome, shown])
}

/// Formats the error of a sub-prompt.
pub(in crate::protocol) fn subprompt_error(error: &str) -> String {
    SUBPROMPT_ERROR.render([error])
}

/// Formats a text file attached to a sub-prompt's first message.
pub(in crate::protocol) fn attachment_text(path: &str, content: &str) -> String {
    fence_untrusted(&format!("attachment {path}"), content)
}

/// Returns the note to a caller that one of its background agents ended, with the answer.
pub(in crate::protocol) fn agent_done(agent: &str, answer: &str) -> String {
    NOTE_AGENT_DONE.render([agent, answer])
}

/// Returns the note to a caller about an agent that started together with it. `takes_messages` is
/// whether the new agent accepts messages.
pub(in crate::protocol) fn agent_started(
    agent: &str,
    kind: &str,
    name: &str,
    takes_messages: bool,
) -> String {
    if takes_messages {
        NOTE_AGENT_READY.render([agent, kind, name])
    } else {
        NOTE_AGENT_STARTED.render([agent, kind, name])
    }
}
