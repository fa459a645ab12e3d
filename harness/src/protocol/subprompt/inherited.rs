//! What a sub-prompt sees of the conversation in which it is called.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::Message;

/// The part of a caller's conversation that a sub-prompt begins with: what was said with `chat`, past tool calls and
/// their results with `past_tools`. A call that has no result yet, such as the one that calls the sub-prompt, is left
/// out, and so is a message of which nothing remains.
pub fn inherited(conversation: &[Arc<Message>], chat: bool, past_tools: bool) -> Vec<Message> {
    let results = conversation
        .iter()
        .flat_map(|message| &message.tool_results);
    let answered: HashSet<&str> = results.map(|result| result.call.as_str()).collect();
    let seen = conversation.iter().map(|message| {
        let mut seen = Message::clone(message);
        seen.tool_calls
            .retain(|call| past_tools && answered.contains(call.id.as_str()));
        if !past_tools {
            seen.tool_results.clear();
        }
        if !chat {
            seen.content.clear();
            seen.images.clear();
        }
        if seen != **message {
            // Signatures are of what was said as it was said.
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
    fn each_combination_shows_its_part() {
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
            let shown: Vec<String> = inherited(&conversation, chat, past_tools)
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
}
