//! Texts around a prompt that is called as a tool.

use super::sections::{
    NOTE_AGENT_DONE, NOTE_AGENT_READY, NOTE_AGENT_STARTED, SUBPROMPT_CALL, SUBPROMPT_ERROR,
};
use crate::prompt::definition::fence_untrusted;

/// Returns a tool call of a sub-prompt, with its result.
pub(crate) fn subprompt_call(name: &str, arguments: &str, shown: &str, worked: bool) -> String {
    let outcome = if worked { "result" } else { "failed" };
    SUBPROMPT_CALL.render([arguments, name, outcome, shown])
}

/// Returns the reason why a sub-prompt gave no answer.
pub(crate) fn subprompt_error(error: &str) -> String {
    SUBPROMPT_ERROR.render([error])
}

/// Returns a text file attached to a sub-prompt's first message.
pub(crate) fn attachment_text(path: &str, content: &str) -> String {
    fence_untrusted(&format!("attachment {path}"), content)
}

/// Returns the note to an agent when another that it did not wait for has ended.
pub(crate) fn agent_done(agent: &str, answer: &str) -> String {
    NOTE_AGENT_DONE.render([agent, answer])
}

/// Returns the note to an agent about another that started with it, and whether that accepts
/// messages.
pub(crate) fn agent_started(agent: &str, kind: &str, name: &str, takes_messages: bool) -> String {
    if takes_messages {
        NOTE_AGENT_READY.render([agent, kind, name])
    } else {
        NOTE_AGENT_STARTED.render([agent, kind, name])
    }
}
