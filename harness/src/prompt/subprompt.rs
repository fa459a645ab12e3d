//! The texts around a prompt that is called as a tool.

use super::sections::{
    NOTE_AGENT_DONE, NOTE_AGENT_READY, NOTE_AGENT_STARTED, SUBPROMPT_CALL, SUBPROMPT_ERROR,
};
use crate::prompt::definition::fence_untrusted;

/// A call of a tool that a sub-prompt made, with what came of it.
pub(crate) fn subprompt_call(name: &str, arguments: &str, shown: &str, worked: bool) -> String {
    let outcome = if worked { "result" } else { "failed" };
    SUBPROMPT_CALL.render([arguments, name, outcome, shown])
}

/// Why a sub-prompt gave no answer.
pub(crate) fn subprompt_error(error: &str) -> String {
    SUBPROMPT_ERROR.render([error])
}

/// A text file that is attached to a sub-prompt's first message.
pub(crate) fn attachment_text(path: &str, content: &str) -> String {
    fence_untrusted(&format!("attachment {path}"), content)
}

/// The note to an agent when one ends that it did not wait for.
pub(crate) fn agent_done(agent: &str, answer: &str) -> String {
    NOTE_AGENT_DONE.render([agent, answer])
}

/// The note to an agent about one that started with it, and whether that one takes its messages.
pub(crate) fn agent_started(agent: &str, kind: &str, name: &str, takes_messages: bool) -> String {
    if takes_messages {
        NOTE_AGENT_READY.render([agent, kind, name])
    } else {
        NOTE_AGENT_STARTED.render([agent, kind, name])
    }
}
