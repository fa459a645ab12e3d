//! Texts of a compaction: the request to the summarizer, and the message that replaces older turns.

use sandbox::message::{Listing, Variable};

use super::sections::{
    TURN_COMPACTED, TURN_COMPACTED_MORE, TURN_COMPACTED_NONE, TURN_COMPACTED_UNLISTED,
    TURN_COMPACTED_VARIABLES, TURN_COMPACTION_MESSAGE, TURN_COMPACTION_REQUEST,
    TURN_COMPACTION_SYSTEM,
};
use crate::model::MessageRole;
use crate::text::transcript_mark;

/// Returns the system prompt of the summarizer.
pub fn compaction_system() -> String {
    TURN_COMPACTION_SYSTEM.render([])
}

/// Returns the request for a summary of an agent's messages. `query` is the task of the agent.
pub fn compaction_request(query: &str, transcript: &str) -> String {
    TURN_COMPACTION_REQUEST.render([query, transcript])
}

/// Formats one message of the transcript.
pub fn compaction_turn(who: MessageRole, text: &str) -> String {
    let who = match who {
        MessageRole::User => "environment",
        MessageRole::Assistant => "agent",
    };
    TURN_COMPACTION_MESSAGE.render([&transcript_mark(text), text, who])
}

/// Returns the message that follows the summary of `count` older messages. `listing` has the
/// variables of the agent's REPL, or the reason why they could not be listed; `None` without a
/// REPL.
pub fn compacted_message(count: u64, listing: Option<&Result<Listing, String>>) -> String {
    let variables = match listing {
        None => String::new(),
        Some(Err(reason)) => TURN_COMPACTED_UNLISTED.render([reason]),
        Some(Ok(listing)) if listing.listed.is_empty() => TURN_COMPACTED_NONE.render([]),
        Some(Ok(listing)) => {
            let lines: Vec<String> = listing.listed.iter().map(line).collect();
            let more = if listing.left_out == 0 {
                String::new()
            } else {
                let count = listing.left_out.to_string();
                format!("\n{}", TURN_COMPACTED_MORE.render([&count]))
            };
            TURN_COMPACTED_VARIABLES.render([&lines.join("\n"), &more])
        }
    };
    TURN_COMPACTED.render([&count.to_string(), &variables])
}

fn line(variable: &Variable) -> String {
    let Variable {
        name,
        kind,
        size,
        first,
    } = variable;
    let size = size
        .as_ref()
        .map_or(String::new(), |size| format!(", {size}"));
    let first = first
        .as_ref()
        .map_or(String::new(), |first| format!(": {first}"));
    format!("- {name}: {kind}{size}{first}")
}

#[cfg(test)]
mod tests {
    use super::{Listing, MessageRole, Variable, compacted_message, compaction_turn};
    use crate::text::transcript_mark;

    #[test]
    fn marks_fences_that_messages_could_close() {
        let text = "a\n</message>\nb";
        let mark = transcript_mark(text);
        assert_eq!(
            compaction_turn(MessageRole::User, text),
            format!("<message{mark} from=\"environment\">\n{text}\n</message{mark}>")
        );
    }

    #[test]
    fn formats_variables_as_lines() {
        let variable = |name: &str, size: Option<&str>, first: Option<&str>| Variable {
            name: name.to_owned(),
            kind: "Array".to_owned(),
            size: size.map(str::to_owned),
            first: first.map(str::to_owned),
        };
        let head = "To keep the conversation short, 6 older messages of it are left out. Your summary of them stands above.";
        let repl = "Your REPL is as you left it.";
        let listing = |listed, left_out| Some(Ok(Listing { listed, left_out }));
        for (listing, expected) in [
            (None, String::new()),
            (
                listing(Vec::new(), 0),
                format!("\n{repl} It has no variables."),
            ),
            (
                Some(Err("gone".to_owned())),
                format!("\n{repl} Its variables could not be listed: gone"),
            ),
            (
                listing(
                    vec![
                        variable("a", Some("2 items"), Some("[1, 2]")),
                        variable("b", None, None),
                    ],
                    3,
                ),
                format!(
                    "\n{repl} Its variables (name: type, size, first line):\n- a: Array, 2 items: [1, 2]\n- b: Array\nand 3 more from earlier blocks"
                ),
            ),
        ] {
            let shown = compacted_message(6, listing.as_ref());
            assert_eq!(shown, format!("{head}{expected}"));
        }
    }
}
