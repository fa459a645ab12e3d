//! The tool `execute_code`, which models call instead of writing fenced code blocks.

use serde_json::{Value, json};

use super::sections::{CALL_NOT_RUN, EXECUTE_CODE, EXECUTE_CODE_ARGUMENT};
use crate::model::lenient_json;
use crate::model::{
    ActionSurface, Message, Role, ToolCall, ToolChoice, ToolResult, ToolSpec, ToolUse,
};

const NAME: &str = "execute_code";

/// Returns the tools in an agent's requests: `execute_code` if the run uses it and the agent has a
/// REPL, otherwise none.
pub(crate) fn tool_use(code_via_tool: bool, role: Role) -> ToolUse {
    if !code_via_tool || !role.has_repl() {
        return ToolUse::default();
    }
    ToolUse {
        specs: [code_tool()].into(),
        // An agent that writes programs accepts a program's result by answering without a call.
        choice: if role.action_surface() == ActionSurface::Program {
            ToolChoice::Auto
        } else {
            ToolChoice::Forced(NAME.to_owned())
        },
        parallel: false,
    }
}

fn code_tool() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description: EXECUTE_CODE.render([]),
        parameters: json!({
            "type": "object",
            "properties": {"code": {
                "type": "string",
                "description": EXECUTE_CODE_ARGUMENT.render([]),
            }},
            "required": ["code"],
            "additionalProperties": false,
        }),
    }
}

/// Creates a call to `execute_code`, for records that contain only the code.
pub(crate) fn call(code: &str) -> ToolCall {
    ToolCall {
        id: "call_0".to_owned(),
        name: NAME.to_owned(),
        arguments: json!({"code": code}).to_string(),
    }
}

/// Returns the code in a response's `execute_code` calls, in order. Blank code is omitted.
pub(crate) fn codes(calls: &[ToolCall]) -> Vec<String> {
    let calls = calls.iter().filter(|call| call.name == NAME);
    let codes = calls.map(|call| code_of(&call.arguments));
    codes.filter(|code| !code.trim().is_empty()).collect()
}

/// Returns the message that answers a response's `calls`. `message` is the result of the first
/// call, to which the results of all further calls refer. Without calls, `message` is the text.
pub(crate) fn answer(calls: &[ToolCall], message: String) -> Message {
    let mut message = Some(message);
    let result = |call: &ToolCall| ToolResult {
        call: call.id.clone(),
        content: message.take().unwrap_or_else(|| CALL_NOT_RUN.render([])),
        is_error: false,
    };
    let results: Vec<ToolResult> = calls.iter().map(result).collect();
    Message {
        tool_results: results,
        ..Message::user(message.unwrap_or_default())
    }
}

/// Returns the code in the arguments of a call, without an enclosing code fence. Arguments that are
/// not JSON are treated as code. For other invalid arguments, returns code that throws an error, so
/// that the model sees what is wrong.
fn code_of(arguments: &str) -> String {
    let code = match lenient_json::arguments(arguments) {
        Ok(Value::String(code)) => code,
        Ok(Value::Object(mut input)) => match input.remove("code") {
            Some(Value::String(code)) => code,
            None if input.is_empty() => String::new(),
            _ => return INVALID_ARGUMENTS.to_owned(),
        },
        _ => arguments.to_owned(),
    };
    match lenient_json::without_fence(&code) {
        Some(inner) => inner.to_owned(),
        None => code,
    }
}

/// Code to run for a call with invalid arguments.
const INVALID_ARGUMENTS: &str =
    r#"throw new TypeError('execute_code(): wrong arguments: expected {"code": string}')"#;

#[cfg(test)]
mod tests {
    use super::{INVALID_ARGUMENTS, NAME, answer, codes};
    use crate::model::ToolCall;

    fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        }
    }

    #[test]
    fn finds_code_in_any_wrapping() {
        let rows = [
            (r#"{"code": "f()"}"#, vec!["f()"]),
            (r#"{"code": " "}"#, vec![]),
            (r#"{"code": 5}"#, vec![INVALID_ARGUMENTS]),
            (r#"{"js": "f()"}"#, vec![INVALID_ARGUMENTS]),
            (r#"{"code": "```js\nf()\n```"}"#, vec!["f()"]),
            (r#""{\"code\": \"f()\"}""#, vec!["f()"]),
            ("{\"code\": \"f()\ng()\"}", vec!["f()\ng()"]),
            ("```json\n{\"code\": \"f()\"}\n```", vec!["f()"]),
            ("```js\nf()\n```", vec!["f()"]),
            (r#""f()""#, vec!["f()"]),
            ("f()", vec!["f()"]),
            ("{}", vec![]),
            ("", vec![]),
        ];
        for (arguments, expected) in rows {
            let calls = [call("a", NAME, arguments), call("b", "other", "{}")];
            assert_eq!(codes(&calls), expected, "{arguments}");
        }
    }

    #[test]
    fn answers_every_call() {
        let calls = [call("a", NAME, "{}"), call("b", NAME, "{}")];
        let message = answer(&calls, "42".to_owned());
        let results: Vec<_> = message
            .tool_results
            .iter()
            .map(|result| (result.call.as_str(), result.content == "42"))
            .collect();
        assert_eq!(results, [("a", true), ("b", false)]);
        assert_eq!(message.content, "");
        assert_eq!(answer(&[], "42".to_owned()).content, "42");
    }
}
