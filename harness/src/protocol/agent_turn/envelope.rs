//! Parses a response of the agent-turn protocol, which is a single call of `agent_turn`, and
//! repairs common mistakes.

use serde_json::{Map, Value};

use super::catalog::envelope_name;
use crate::model::lenient_json;
use crate::model::web::{Envelope, Step, ToolAction};
use crate::protocol::malformed::{report_unknown, unfenced};
use crate::provider::Response;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ParsedEnvelope {
    pub envelope: Envelope,
    /// Descriptions of the mistakes that were repaired.
    pub repairs: Vec<String>,
}

/// Parses a response. Also accepts an envelope in the text, because not every server can force a
/// call.
///
/// # Errors
/// Returns the problem as text for the model.
pub(super) fn read(response: &Response) -> Result<ParsedEnvelope, String> {
    let mut repairs = Vec::new();
    let Some(call) = response.tool_calls.first() else {
        let object = parse(&response.text, &mut repairs)
            .map_err(|_| format!("it holds no call of `{}`", envelope_name()))?;
        repairs.insert(0, "the envelope was text instead of a call".to_owned());
        return understand(object, repairs);
    };
    if call.name != envelope_name() {
        let name: String = call.name.chars().take(60).collect();
        return Err(format!(
            "it calls {name:?}, and the only tool is `{}`; actions go inside of its `actions`",
            envelope_name()
        ));
    }
    for _ in &response.tool_calls[1..] {
        repairs.push("a further call in the same turn was dropped".to_owned());
    }
    let object = parse(&call.arguments, &mut repairs)?;
    understand(object, repairs)
}

fn parse(text: &str, repairs: &mut Vec<String>) -> Result<Map<String, Value>, String> {
    let problem = match lenient_json::from_str(unfenced(text, "envelope", repairs)) {
        Ok(Value::Object(object)) => return Ok(object),
        // Some servers encode the arguments twice, as a JSON string.
        Ok(Value::String(inner)) => match lenient_json::from_str(&inner) {
            Ok(Value::Object(object)) => {
                repairs.push("the envelope was encoded as a string".to_owned());
                return Ok(object);
            }
            _ => "is a string".to_owned(),
        },
        Ok(_) => "is not an object".to_owned(),
        Err(error) => format!("is not JSON: {error}"),
    };
    Err(format!("the envelope {problem}"))
}

fn understand(
    mut object: Map<String, Value>,
    mut repairs: Vec<String>,
) -> Result<ParsedEnvelope, String> {
    let memory = match object.remove("memory") {
        Some(Value::String(memory)) => memory,
        None | Some(Value::Null) => {
            repairs.push("`memory` was missing".to_owned());
            String::new()
        }
        Some(_) => return Err("`memory` is not a string".to_owned()),
    };
    let todos_remaining = match object.remove("todos_remaining") {
        Some(Value::Array(items)) => todos(items)?,
        Some(Value::String(one)) => {
            repairs.push("`todos_remaining` was a string instead of an array".to_owned());
            Some(one)
                .filter(|one| !one.is_empty())
                .into_iter()
                .collect()
        }
        None | Some(Value::Null) => {
            repairs.push("`todos_remaining` was missing".to_owned());
            Vec::new()
        }
        Some(_) => return Err("`todos_remaining` is not an array of strings".to_owned()),
    };
    let actions = match object.remove("actions") {
        None => Vec::new(),
        Some(Value::Null) => {
            repairs.push("`actions` was null instead of empty".to_owned());
            Vec::new()
        }
        Some(actions) => steps(actions, &mut repairs)?,
    };
    report_unknown(&object, "the envelope", &mut repairs);
    Ok(ParsedEnvelope {
        envelope: Envelope {
            memory,
            todos_remaining,
            actions,
        },
        repairs,
    })
}

fn todos(items: Vec<Value>) -> Result<Vec<String>, String> {
    let text = |item| match item {
        Value::String(text) => Ok(text),
        _ => Err("`todos_remaining` is not an array of strings".to_owned()),
    };
    items.into_iter().map(text).collect()
}

fn steps(actions: Value, repairs: &mut Vec<String>) -> Result<Vec<Step>, String> {
    let entries = match actions {
        Value::Array(entries) => entries,
        Value::Object(one) => {
            repairs.push("`actions` was one action instead of an array".to_owned());
            vec![Value::Object(one)]
        }
        Value::String(text) => match lenient_json::from_str(&text) {
            Ok(Value::Array(entries)) => {
                repairs.push("`actions` was encoded as a string".to_owned());
                entries
            }
            _ => return Err("`actions` is not an array".to_owned()),
        },
        _ => return Err("`actions` is not an array".to_owned()),
    };
    let mut steps = Vec::new();
    for (number, entry) in (1..).zip(entries) {
        step(entry, &mut steps, repairs).map_err(|problem| format!("action {number} {problem}"))?;
    }
    Ok(steps)
}

fn step(entry: Value, steps: &mut Vec<Step>, repairs: &mut Vec<String>) -> Result<(), String> {
    let mut entry = match entry {
        Value::Object(entry) => entry,
        Value::String(narrate) => {
            repairs.push("an action was a string, taken as a narration".to_owned());
            steps.push(Step::Narrate { narrate });
            return Ok(());
        }
        _ => return Err("is not an object".to_owned()),
    };
    let narrate = entry.remove("narrate");
    let tool = entry.remove("tool");
    let narrates = narrate.is_some();
    if narrates && tool.is_some() {
        repairs.push("an action both narrated and named a tool, taken as two".to_owned());
    }
    match narrate {
        None => {}
        Some(Value::String(narrate)) => steps.push(Step::Narrate { narrate }),
        Some(_) => return Err("has a `narrate` that is not a string".to_owned()),
    }
    match tool {
        None if narrates => Ok(()),
        None => Err("has neither `narrate` nor `tool`".to_owned()),
        Some(Value::String(tool)) => {
            let args = arguments(&mut entry, repairs)?;
            steps.push(Step::Tool(ToolAction { tool, args }));
            Ok(())
        }
        Some(_) => Err("has a `tool` that is not a string".to_owned()),
    }
}

fn arguments(entry: &mut Map<String, Value>, repairs: &mut Vec<String>) -> Result<Value, String> {
    let given = ["args", "arguments", "input"]
        .into_iter()
        .find_map(|name| entry.remove(name).map(|args| (name, args)));
    let Some((name, args)) = given else {
        repairs.push("`args` was missing".to_owned());
        return Ok(Value::Object(Map::new()));
    };
    if name != "args" {
        repairs.push(format!("`args` was called `{name}`"));
    }
    match args {
        Value::Object(_) => Ok(args),
        Value::String(text) => match lenient_json::from_str(&text) {
            Ok(Value::Object(args)) => {
                repairs.push("`args` was encoded as a string".to_owned());
                Ok(Value::Object(args))
            }
            _ => Err("has `args` that are not an object".to_owned()),
        },
        _ => Err("has `args` that are not an object".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::model::ToolCall;
    use crate::provider::Response;

    /// Formats the parsed envelope and the number of repairs, or returns the problem.
    fn outcome_of(response: &Response) -> String {
        match read(response) {
            Ok(understood) => format!(
                "{} {}",
                serde_json::to_string(&understood.envelope).unwrap_or_default(),
                understood.repairs.len()
            ),
            Err(problem) => problem,
        }
    }

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall {
            id: "1".to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        }
    }

    #[test]
    fn parses_envelopes_and_counts_repairs() {
        let empty = r#"{"memory":"m","todos_remaining":[],"actions":[]}"#;
        let rows = [
            (
                r#"{"memory":"m","todos_remaining":[]}"#,
                r#"{"memory":"m","todos_remaining":[],"actions":[]} 0"#,
            ),
            (
                empty,
                r#"{"memory":"m","todos_remaining":[],"actions":[]} 0"#,
            ),
            (
                r#"{"memory":"m","todos_remaining":["a"],"actions":[{"narrate":"hi"},{"tool":"click","args":{"selector":"5"}}]}"#,
                r#"{"memory":"m","todos_remaining":["a"],"actions":[{"narrate":"hi"},{"tool":"click","args":{"selector":"5"}}]} 0"#,
            ),
            ("{}", r#"{"memory":"","todos_remaining":[],"actions":[]} 2"#),
            (
                "```json\n{\"memory\":\"m\",\"todos_remaining\":[]}\n```",
                r#"{"memory":"m","todos_remaining":[],"actions":[]} 1"#,
            ),
            (
                r#""{\"memory\":\"m\",\"todos_remaining\":[]}""#,
                r#"{"memory":"m","todos_remaining":[],"actions":[]} 1"#,
            ),
            (
                r#"{"memory":"m","todos_remaining":"a","actions":{"tool":"press","arguments":"{\"key\":\"a\"}"},"mood":1}"#,
                r#"{"memory":"m","todos_remaining":["a"],"actions":[{"tool":"press","args":{"key":"a"}}]} 5"#,
            ),
            (
                r#"{"memory":"m","todos_remaining":[],"actions":"[\"hi\",{\"narrate\":\"x\",\"tool\":\"border\"}]"}"#,
                r#"{"memory":"m","todos_remaining":[],"actions":[{"narrate":"hi"},{"narrate":"x"},{"tool":"border","args":{}}]} 4"#,
            ),
            (
                r#"{"memory":"m","todos_remaining":[],"actions":null}"#,
                r#"{"memory":"m","todos_remaining":[],"actions":[]} 1"#,
            ),
            (
                "{\"memory\":",
                "the envelope is not JSON: EOF while parsing a value at line 1 column 10",
            ),
            ("[]", "the envelope is not an object"),
            (
                r#"{"memory":5,"todos_remaining":[]}"#,
                "`memory` is not a string",
            ),
            (
                r#"{"memory":"m","todos_remaining":[1]}"#,
                "`todos_remaining` is not an array of strings",
            ),
            (
                r#"{"memory":"m","todos_remaining":[],"actions":5}"#,
                "`actions` is not an array",
            ),
            (
                r#"{"memory":"m","todos_remaining":[],"actions":[{"click":"5"}]}"#,
                "action 1 has neither `narrate` nor `tool`",
            ),
            (
                r#"{"memory":"m","todos_remaining":[],"actions":["a",{"tool":5}]}"#,
                "action 2 has a `tool` that is not a string",
            ),
            (
                r#"{"memory":"m","todos_remaining":[],"actions":[{"tool":"click","args":5}]}"#,
                "action 1 has `args` that are not an object",
            ),
        ];
        for (arguments, expected) in rows {
            let response = Response {
                tool_calls: vec![call("agent_turn", arguments)],
                ..Response::default()
            };
            assert_eq!(outcome_of(&response), expected, "{arguments}");
        }
        let responses = [
            (Response::default(), "it holds no call of `agent_turn`"),
            (
                Response {
                    text: empty.to_owned(),
                    ..Response::default()
                },
                r#"{"memory":"m","todos_remaining":[],"actions":[]} 1"#,
            ),
            (
                Response {
                    tool_calls: vec![call("click", "{}")],
                    ..Response::default()
                },
                "it calls \"click\", and the only tool is `agent_turn`; actions go inside of its `actions`",
            ),
            (
                Response {
                    tool_calls: vec![call("agent_turn", empty), call("agent_turn", empty)],
                    ..Response::default()
                },
                r#"{"memory":"m","todos_remaining":[],"actions":[]} 1"#,
            ),
        ];
        for (response, expected) in responses {
            assert_eq!(outcome_of(&response), expected, "{response:?}");
        }
    }
}
