//! Messages that a sub-prompt inherits from its caller's conversation.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::agent::{Invocation, Specialist};
use crate::model::{Message, MessageRole};
use crate::text::code_blocks;

/// Returns the part of a caller's conversation that a specialist inherits.
pub(crate) fn inherited_by(specialist: &Specialist, caller: &Invocation) -> Vec<Message> {
    inherited(
        &caller.history_snapshot.lock(),
        caller.plan.role.has_repl(),
        specialist.settings.include_chat,
        specialist.settings.include_past_tools,
    )
}

/// Returns the part of a caller's conversation that a sub-prompt inherits: texts if `chat`, and
/// past tool calls and their results if `past_tools`. If the caller's tools are functions
/// `in_repl`, cells and their results are used instead of tool calls. Calls and cells without a
/// result, such as the one that calls the sub-prompt, and messages that become empty are omitted.
fn inherited(
    conversation: &[Arc<Message>],
    in_repl: bool,
    chat: bool,
    past_tools: bool,
) -> Vec<Message> {
    let results = conversation
        .iter()
        .flat_map(|message| &message.tool_results);
    let answered: HashSet<&str> = results.map(|result| result.call.as_str()).collect();
    let cells: HashMap<usize, String> = if in_repl && past_tools {
        conversation
            .windows(2)
            .enumerate()
            .filter_map(cell)
            .collect()
    } else {
        HashMap::new()
    };
    let seen = conversation.iter().enumerate().map(|(at, message)| {
        let mut seen = Message::clone(message);
        seen.tool_calls
            .retain(|call| past_tools && answered.contains(call.id.as_str()));
        if !past_tools {
            seen.tool_results.clear();
        }
        if !chat {
            let is_result = at > 0 && cells.contains_key(&(at - 1));
            match cells.get(&at) {
                Some(cell) => seen.content.clone_from(cell),
                None if !is_result => seen.content.clear(),
                None => {}
            }
            seen.images.clear();
        }
        if seen != **message {
            // A signature is valid only for the unchanged message.
            seen.reasoning_signature = None;
        }
        seen
    });
    seen.filter(|message| {
        !message.content.trim().is_empty()
            || !message.images.is_empty()
            || !message.tool_calls.is_empty()
            || !message.tool_results.is_empty()
    })
    .collect()
}

/// Returns the index and the code blocks of a reply that is followed by a result.
fn cell((at, pair): (usize, &[Arc<Message>])) -> Option<(usize, String)> {
    let [reply, result] = pair else { return None };
    let is_run = reply.role == MessageRole::Assistant
        && reply.tool_calls.is_empty()
        && result.role == MessageRole::User;
    let blocks = if is_run {
        code_blocks(&reply.content)
    } else {
        Vec::new()
    };
    let fenced = blocks.iter().map(|code| format!("```js\n{code}\n```"));
    let fenced: Vec<String> = fenced.collect();
    (!fenced.is_empty()).then(|| (at, fenced.join("\n\n")))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::inherited;
    use crate::model::{Message, MessageRole, ToolCall, ToolResult};

    fn called(text: &str, id: &str) -> Message {
        Message {
            tool_calls: vec![ToolCall {
                id: id.to_owned(),
                name: "f".to_owned(),
                arguments: "{}".to_owned(),
            }],
            reasoning_signature: Some("signed".to_owned()),
            ..Message::assistant(text)
        }
    }

    #[test]
    fn inherits_only_what_settings_include() {
        let results = Message {
            tool_results: vec![ToolResult {
                call: "a".to_owned(),
                content: "42".to_owned(),
                is_error: false,
            }],
            ..Message::user("")
        };
        let conversation = [
            Message::user("the task"),
            called("I look.", "a"),
            results,
            called("I ask another.", "b"),
        ];
        let conversation = conversation.map(Arc::new);
        let rows: [(bool, bool, &[&str]); 4] = [
            (false, false, &[]),
            (
                true,
                false,
                &["user the task", "model I look.", "model I ask another."],
            ),
            (false, true, &["model a", "user =42"]),
            (
                true,
                true,
                &[
                    "user the task",
                    "model I look. a signed",
                    "user =42",
                    "model I ask another.",
                ],
            ),
        ];
        for (chat, past_tools, expected) in rows {
            let shown: Vec<String> = inherited(&conversation, false, chat, past_tools)
                .iter()
                .map(|message| {
                    let who = match message.role {
                        MessageRole::User => "user",
                        MessageRole::Assistant => "model",
                    };
                    let calls = message.tool_calls.iter().map(|call| call.id.clone());
                    let results = message.tool_results.iter();
                    let results = results.map(|result| format!("={}", result.content));
                    let parts = [who.to_owned(), message.content.clone()];
                    let all = parts.into_iter().chain(calls).chain(results);
                    let all = all.chain(message.reasoning_signature.clone());
                    all.filter(|part| !part.is_empty())
                        .collect::<Vec<_>>()
                        .join(" ")
                })
                .collect();
            assert_eq!(shown, expected, "chat {chat}, past tools {past_tools}");
        }
    }

    #[test]
    fn inherits_cells_with_results() {
        let conversation = [
            Message::user("the task"),
            Message::assistant("I look.\n```js\nconsole.log(1)\n```\nSo."),
            Message::user("<output>1</output>"),
            Message::assistant("I think."),
            Message::user("no code"),
            Message::assistant("```js\nawait ask()\n```"),
        ];
        let conversation = conversation.map(Arc::new);
        let shown: Vec<String> = inherited(&conversation, true, false, true)
            .into_iter()
            .map(|message| message.content)
            .collect();
        assert_eq!(shown, ["```js\nconsole.log(1)\n```", "<output>1</output>"]);
        assert_eq!(inherited(&conversation, true, false, false), []);
        let all = inherited(&conversation, true, true, true);
        let said: Vec<&str> = all.iter().map(|message| message.content.as_str()).collect();
        let whole: Vec<&str> = conversation
            .iter()
            .map(|one| one.content.as_str())
            .collect();
        assert_eq!(said, whole);
    }
}
