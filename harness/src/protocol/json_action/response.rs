//! Parses a response of the JSON action protocol, which is a single JSON object.

use serde_json::{Map, Value};

use crate::model::lenient_json;
use crate::protocol::malformed::{report_unknown, unfenced};

/// Action that the model chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// Answers the user. The answer is added to the history.
    Answer { message: String },
    /// Launches an HTML document as an app, instead of answering the user.
    LaunchApp { app: String },
    /// Requests a list for the next request.
    List(List),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Apps,
    Docs,
}

impl Choice {
    /// Returns the name of the action in the protocol.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Answer { .. } => "answer",
            Self::LaunchApp { .. } => "launch_app",
            Self::List(List::Apps) => "list_apps",
            Self::List(List::Docs) => "list_docs",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ParsedResponse {
    pub choice: Choice,
    /// Descriptions of the tolerated deviations from the format.
    pub repairs: Vec<String>,
}

/// Parses a response.
///
/// # Errors
/// Returns the problem as text for the model.
pub(super) fn read(text: &str) -> Result<ParsedResponse, String> {
    let mut repairs = Vec::new();
    let mut object = parse(text, &mut repairs)?;
    let Some(action) = object.remove("action") else {
        return Err("it has no field `action`".to_owned());
    };
    let Value::String(action) = action else {
        return Err("`action` is not a string".to_owned());
    };
    let choice = match action.as_str() {
        "answer" => Choice::Answer {
            message: take_text(&mut object, &action, "message")?,
        },
        "launch_app" => {
            let app = take_text(&mut object, &action, "app")?;
            let begins = app.trim_start().get(..DOCTYPE.len());
            if !begins.is_some_and(|begins| begins.eq_ignore_ascii_case(DOCTYPE)) {
                return Err(format!(
                    "`app` is not a complete HTML document, which starts with {DOCTYPE}"
                ));
            }
            Choice::LaunchApp { app }
        }
        "list_apps" => Choice::List(List::Apps),
        "list_docs" => Choice::List(List::Docs),
        other => {
            let other: String = other.chars().take(60).collect();
            return Err(format!(
                "`action` is {other:?}, and may be \"answer\", \"launch_app\", \"list_apps\" or \"list_docs\""
            ));
        }
    };
    report_unknown(&object, &action, &mut repairs);
    Ok(ParsedResponse { choice, repairs })
}

const DOCTYPE: &str = "<!DOCTYPE html>";

fn parse(text: &str, repairs: &mut Vec<String>) -> Result<Map<String, Value>, String> {
    match lenient_json::from_str(unfenced(text, "object", repairs)) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("it is JSON, but not an object".to_owned()),
        Err(error) => Err(format!("it is not one JSON object: {error}")),
    }
}

fn take_text(object: &mut Map<String, Value>, action: &str, field: &str) -> Result<String, String> {
    match object.remove(field) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("`{field}` of {action} is not a string")),
        None => Err(format!("{action} needs the field `{field}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    /// Formats the parsed choice and the number of repairs, or returns the problem.
    fn outcome_of(text: &str) -> String {
        match read(text) {
            Ok(understood) => format!("{:?} {}", understood.choice, understood.repairs.len()),
            Err(problem) => problem,
        }
    }

    #[test]
    fn accepts_only_single_json_object() {
        let doc = "<!doctype HTML><p>x</p>";
        let launch = format!(r#"{{"action": "launch_app", "app": "{doc}"}}"#);
        let rows = [
            (
                r#"{"action":"answer","message":"hi"}"#,
                r#"Answer { message: "hi" } 0"#,
            ),
            (" \n{\"action\":\"list_apps\"}\n", "List(Apps) 0"),
            ("```json\n{\"action\":\"list_docs\"}\n```", "List(Docs) 1"),
            (
                "```\n{\"action\":\"list_docs\",\"message\":1}\n```",
                "List(Docs) 2",
            ),
            (
                "```js\n{\"action\":\"list_docs\"}\n```",
                "it is not one JSON object: expected value at line 1 column 1",
            ),
            (&launch, r#"LaunchApp { app: "<!doctype HTML><p>x</p>" } 0"#),
            (
                r#"{"action":"launch_app","app":"<p>x</p>"}"#,
                "`app` is not a complete HTML document, which starts with <!DOCTYPE html>",
            ),
            (
                r#"{"action":"launch_app"}"#,
                "launch_app needs the field `app`",
            ),
            (
                r#"{"action":"answer","message":{"a":1}}"#,
                "`message` of answer is not a string",
            ),
            (
                r#"{"action":"read_document","uri":"x"}"#,
                "`action` is \"read_document\", and may be \"answer\", \"launch_app\", \"list_apps\" or \"list_docs\"",
            ),
            (r#"{"message":"x"}"#, "it has no field `action`"),
            (r#"{"action":3}"#, "`action` is not a string"),
            (
                r#"[{"action":"list_apps"}]"#,
                "it is JSON, but not an object",
            ),
            (
                r#"Sure! {"action":"list_apps"}"#,
                "it is not one JSON object: expected value at line 1 column 1",
            ),
            (
                r#"{"action":"list_apps"}{"action":"list_docs"}"#,
                "it is not one JSON object: trailing characters at line 1 column 23",
            ),
            (
                "",
                "it is not one JSON object: EOF while parsing a value at line 1 column 0",
            ),
            (
                "```",
                "it is not one JSON object: expected value at line 1 column 1",
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(outcome_of(text), expected, "{text}");
        }
    }
}
