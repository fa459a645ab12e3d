//! Detects tool calls in the text of replies. Servers without a parser for tool calls return calls
//! as text.

use serde::Deserialize as _;
use serde_json::Value;

use crate::model::ToolSpec;
use crate::model::lenient_json;

/// Beginning of a call in the format of Hermes, Qwen and others; a JSON object follows.
const TAG: &str = "<tool_call>";

/// End of a call that begins with [`TAG`].
const END: &str = "</tool_call>";

/// Beginning of a call in the format of Qwen3-Coder and Llama; the name of the tool follows.
const FUNCTION: &str = "<function=";

/// Whether a text contains a call of one of these tools: after a tag at the beginning of a line, or
/// as a JSON object with name and arguments that is the whole text. A text from [`TAG`] to [`END`]
/// counts regardless of its content.
pub(super) fn has_call(text: &str, tools: &[ToolSpec]) -> bool {
    let text = text.trim();
    let is_tool = |name: &str| tools.iter().any(|tool| tool.name == name.trim());
    let calls_tool = |value: &Value| value["name"].as_str().is_some_and(is_tool);
    if tools.is_empty() {
        return false;
    }
    let whole = lenient_json::without_fence(text).unwrap_or(text);
    if let Ok(call @ Value::Object(_)) = lenient_json::from_str(whole) {
        let has_arguments = ["arguments", "parameters"]
            .iter()
            .any(|name| call[*name].is_object());
        return has_arguments && calls_tool(&call);
    }
    if text.starts_with(TAG) && text.ends_with(END) {
        return true;
    }
    let begins_line =
        |at: usize| text[..at].trim_end_matches([' ', '\t']).ends_with('\n') || at == 0;
    let after = |tag: &'static str| {
        let places = text
            .match_indices(tag)
            .filter(move |(at, _)| begins_line(*at));
        places.map(move |(at, _)| &text[at + tag.len()..])
    };
    let names_tool = |rest: &str| {
        let name = rest.split(['>', ' ', '\n']).next();
        name.is_some_and(|name| is_tool(name.trim_matches('"')))
    };
    let holds_json = |rest: &str| {
        let mut json = serde_json::Deserializer::from_str(rest);
        Value::deserialize(&mut json).is_ok_and(|call| calls_tool(&call))
    };
    after(TAG).any(holds_json) || after(FUNCTION).any(names_tool)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::has_call;
    use crate::model::ToolSpec;

    #[test]
    fn detects_calls_in_text() {
        let rows = [
            (
                r#"<tool_call>{"name": "look", "arguments": {"at": 1}}</tool_call>"#,
                true,
            ),
            (
                "I look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {}}\n</tool_call>",
                true,
            ),
            (
                "<tool_call>\nlook\n<arg_key>at</arg_key>\n</tool_call>",
                true,
            ),
            (
                "I look.\n<function=look>\n<parameter=at>1</parameter>\n</function>",
                true,
            ),
            (r#"{"name": "look", "arguments": {"at": 1}}"#, true),
            (
                "```json\n{\"name\": \"look\", \"parameters\": {}}\n```",
                true,
            ),
            (r#"{"name": "look"}"#, false),
            (r#"{"name": "Ada", "arguments": {}}"#, false),
            (
                r#"Write `<tool_call>{"name": "look"}</tool_call>` to call a tool."#,
                false,
            ),
            ("Ada", false),
            ("", false),
        ];
        let look = ToolSpec {
            name: "look".to_owned(),
            description: String::new(),
            parameters: Value::Null,
        };
        for (text, expected) in rows {
            assert_eq!(
                has_call(text, std::slice::from_ref(&look)),
                expected,
                "{text}"
            );
            assert!(!has_call(text, &[]), "{text}");
        }
    }
}
