//! Bundled hooks, which are part of the program.

use std::collections::HashSet;

use async_trait::async_trait;

use super::event::ToolStage;
use super::redact::{without_cards, without_secrets};
use super::{Hook, HookError, HookEvent, RunningHook};
use crate::model::Message;

/// Maximum messages in a request after `limit_to_20_messages`.
const MOST_MESSAGES: usize = 20;

/// Handler of a bundled hook, as in [`RunningHook::handle`].
type HookFunction = fn(&mut HookEvent) -> Vec<String>;

struct Bundled {
    name: &'static str,
    description: &'static str,
    events: &'static [&'static str],
    min_messages: usize,
    /// Version of the hook, for fingerprints.
    digest: &'static str,
    handle: HookFunction,
}

/// Events that redacting hooks handle: all except responses.
const REDACTED: &[&str] = &[
    "before_message",
    "before_request",
    "after_tool_success",
    "after_tool_failure",
    "before_tool_result",
];

const ALL: [Bundled; 4] = [
    Bundled {
        name: "limit_to_20_messages",
        description: "Sends only the first message and the newest 19, counting each tool result; the records keep all.",
        events: &["before_request"],
        min_messages: MOST_MESSAGES + 1,
        digest: "bundled/2",
        handle: limit,
    },
    Bundled {
        name: "log_tool_calls",
        description: "Writes a line for each tool call into the trajectory.",
        events: &["after_tool_success", "after_tool_failure"],
        min_messages: 0,
        digest: "bundled/1",
        handle: log,
    },
    Bundled {
        name: "redact_credit_cards",
        description: "Redacts card numbers, recognized by their check digit, in messages and tool results.",
        events: REDACTED,
        min_messages: 0,
        digest: "bundled/2",
        handle: |event| redact(event, without_cards),
    },
    Bundled {
        name: "redact_secrets",
        description: "Redacts keys and tokens in known formats in messages and tool results.",
        events: REDACTED,
        min_messages: 0,
        digest: "bundled/2",
        handle: |event| redact(event, without_secrets),
    },
];

/// Returns all bundled hooks, sorted by name.
pub(super) fn all() -> impl Iterator<Item = Box<dyn Hook>> {
    ALL.into_iter().map(|hook| Box::new(hook) as Box<dyn Hook>)
}

impl Hook for Bundled {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        self.description
    }

    fn events(&self) -> &[&'static str] {
        self.events
    }

    fn min_messages(&self) -> usize {
        self.min_messages
    }

    fn digest(&self) -> &'static str {
        self.digest
    }

    fn begin(&self) -> Box<dyn RunningHook> {
        Box::new(self.handle)
    }
}

#[async_trait]
impl RunningHook for HookFunction {
    async fn handle(&mut self, event: &mut HookEvent) -> Result<Vec<String>, HookError> {
        Ok(self(event))
    }
}

/// Limits a request to its first message, which is the task, and its newest messages. Tool results
/// are never separated from their calls, so the newest response keeps all its results even if they
/// exceed the limit.
fn limit(event: &mut HookEvent) -> Vec<String> {
    let HookEvent::BeforeRequest { messages, .. } = event else {
        return Vec::new();
    };
    let mut sent = messages.first().map_or(0, Message::api_message_count);
    let mut open: HashSet<&str> = HashSet::new();
    let mut kept = None;
    for (at, message) in messages.iter().enumerate().skip(1).rev() {
        sent += message.api_message_count();
        if sent > MOST_MESSAGES && kept.is_some() {
            break;
        }
        open.extend(
            message
                .tool_results
                .iter()
                .map(|result| result.call.as_str()),
        );
        for call in &message.tool_calls {
            open.remove(call.id.as_str());
        }
        if open.is_empty() {
            kept = Some(at);
        }
    }
    if let Some(kept) = kept {
        messages.drain(1..kept);
    }
    Vec::new()
}

fn log(event: &mut HookEvent) -> Vec<String> {
    let HookEvent::Tool {
        stage,
        tool,
        arguments,
        content,
    } = event
    else {
        return Vec::new();
    };
    let how = match stage {
        ToolStage::Succeeded => "succeeded",
        ToolStage::Failed => "failed",
        ToolStage::ToBeStored => return Vec::new(),
    };
    let chars = content.chars().count();
    vec![format!("{tool}({arguments}) {how} with {chars} characters")]
}

fn redact(event: &mut HookEvent, change: fn(&str) -> String) -> Vec<String> {
    event.map_texts(change);
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::super::event::ToolStage;
    use super::{ALL, HookEvent};
    use crate::model::{Message, ToolCall, ToolResult};

    fn seen(name: &str, mut event: HookEvent) -> (HookEvent, Vec<String>) {
        let hook = ALL.into_iter().find(|hook| hook.name == name).unwrap();
        let notes = (hook.handle)(&mut event);
        (event, notes)
    }

    fn tool(stage: ToolStage, content: &str) -> HookEvent {
        HookEvent::Tool {
            stage,
            tool: "find".to_owned(),
            arguments: "{}".to_owned(),
            content: content.to_owned(),
        }
    }

    #[test]
    fn keeps_first_and_newest_messages() {
        let messages = |numbers: Vec<u32>| HookEvent::BeforeRequest {
            system: "s".to_owned(),
            messages: numbers
                .into_iter()
                .map(|number| Message::user(number.to_string()))
                .collect(),
        };
        for (before, after) in [
            (messages((0..20).collect()), messages((0..20).collect())),
            (
                messages((0..25).collect()),
                messages(std::iter::once(0).chain(6..25).collect()),
            ),
        ] {
            assert_eq!(seen("limit_to_20_messages", before), (after, Vec::new()));
        }
    }

    /// Columns: the number of calls of each response, and the indices of the responses that are
    /// kept.
    #[test]
    fn keeps_results_with_their_calls() {
        let rows: [(&[usize], &[usize]); 5] = [
            (&[5, 5, 5], &[0, 1, 2]),
            (&[5, 5, 5, 5], &[1, 2, 3]),
            (&[1, 1, 17], &[2]),
            (&[1, 1, 30], &[2]),
            (&[30, 1, 1], &[1, 2]),
        ];
        for (calls, expected) in rows {
            let mut messages = vec![Message::user("task")];
            for (turn, count) in calls.iter().enumerate() {
                let ids: Vec<String> = (0..*count).map(|call| format!("{turn}.{call}")).collect();
                let call = |id: &String| ToolCall {
                    id: id.clone(),
                    name: "look".to_owned(),
                    arguments: "{}".to_owned(),
                };
                let result = |id: &String| ToolResult {
                    call: id.clone(),
                    content: "seen".to_owned(),
                    is_error: false,
                };
                messages.push(Message {
                    tool_calls: ids.iter().map(call).collect(),
                    ..Message::assistant(turn.to_string())
                });
                messages.push(Message {
                    tool_results: ids.iter().map(result).collect(),
                    ..Message::user("")
                });
            }
            let system = String::new();
            let event = HookEvent::BeforeRequest { system, messages };
            let (HookEvent::BeforeRequest { messages, .. }, _) =
                seen("limit_to_20_messages", event)
            else {
                panic!("another event");
            };
            let turns: Vec<usize> = messages
                .iter()
                .filter_map(|message| message.content.parse().ok())
                .collect();
            assert_eq!(turns, expected, "{calls:?}");
            assert_eq!(messages.len(), 1 + 2 * turns.len(), "{calls:?}");
        }
    }

    #[test]
    fn logs_tool_calls_once() {
        let rows = [
            (
                ToolStage::Succeeded,
                vec!["find({}) succeeded with 3 characters"],
            ),
            (ToolStage::Failed, vec!["find({}) failed with 3 characters"]),
            (ToolStage::ToBeStored, vec![]),
        ];
        for (stage, expected) in rows {
            assert_eq!(seen("log_tool_calls", tool(stage, "abc")).1, expected);
        }
    }

    #[test]
    fn redacts_cards_and_secrets() {
        let key = format!("sk-ant-{}", "a1B2c3D4e5F6g7H8i9J0k1L2");
        let lines = "MIIEowIBAAKCAQEA75\nQ2+/==\n";
        let pem = format!("-----BEGIN RSA PRIVATE KEY-----\n{lines}");
        let rows = [
            (
                "redact_credit_cards",
                "card 4111-1111-1111-1111!".to_owned(),
                "card [credit card]!",
            ),
            (
                "redact_credit_cards",
                "number 4111111111111112".to_owned(),
                "number 4111111111111112",
            ),
            ("redact_secrets", format!("key {key}."), "key [secret]."),
            (
                "redact_secrets",
                format!("a\n{pem}-----END RSA PRIVATE KEY-----\nb {key}"),
                "a\n[secret]\nb [secret]",
            ),
            (
                "redact_secrets",
                pem.replace('\n', "\\n") + "-----END PRIVATE KEY-----\\n\", \"b\"",
                "[secret]\\n\", \"b\"",
            ),
            ("redact_secrets", pem.clone(), "[secret]\n"),
            (
                "redact_secrets",
                format!("{pem}Read more of it.\n{pem}… and more"),
                "[secret]\nRead more of it.\n[secret]\n… and more",
            ),
            (
                "redact_secrets",
                format!("{pem}Read more of it.\n{pem}-----END RSA PRIVATE KEY-----"),
                "[secret]\nRead more of it.\n[secret]",
            ),
        ];
        for (hook, text, expected) in rows {
            let stage = ToolStage::ToBeStored;
            assert_eq!(seen(hook, tool(stage, &text)).0, tool(stage, expected));
            let message = |text: &str| HookEvent::BeforeMessage {
                message: Message::user(text),
            };
            assert_eq!(seen(hook, message(&text)).0, message(expected));
            let request = |text: &str| HookEvent::BeforeRequest {
                system: text.to_owned(),
                messages: vec![Message::user(text)],
            };
            assert_eq!(seen(hook, request(&text)).0, request(expected));
        }
    }
}
