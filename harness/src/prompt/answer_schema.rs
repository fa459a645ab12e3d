//! JSON Schemas for agents' answers: appended to the query, then used to validate the answer.

use std::sync::Arc;

use jsonschema::{PatternOptions, Validator};
use serde::Serialize;
use serde_json::Value;

use super::Position;
use super::sections::{TURN_SCHEMA_ANSWER, TURN_SCHEMA_MISMATCH, TURN_SCHEMA_RETURN};
use crate::model::lenient_json;
use crate::text::truncate_middle;

/// Maximum characters of the validation errors that an agent is shown.
const PROBLEM_CHARS: usize = 1_000;

/// Maximum number of validation errors that an agent is shown.
const PROBLEMS: usize = 5;

/// A JSON Schema for an answer. Cheap to clone.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct AnswerSchema {
    json: Arc<Value>,
    #[serde(skip)]
    validator: Arc<Validator>,
}

impl AnswerSchema {
    /// Creates a schema. A `$ref` can only refer to parts of the same schema, because files and the
    /// network are not accessed.
    ///
    /// # Errors
    /// Returns the reason why the schema is invalid.
    pub fn new(json: Value) -> Result<Self, String> {
        if !json.is_object() {
            return Err("a JSON Schema is an object".to_owned());
        }
        jsonschema::meta::validate(&json).map_err(|error| {
            let place = error.instance_path().to_string();
            match place.as_str() {
                "" => format!("not a valid JSON Schema: {error}"),
                _ => format!("not a valid JSON Schema: at {place}: {error}"),
            }
        })?;
        // A model may have written the schema, so patterns must be matched in linear time.
        let validator = jsonschema::options()
            .with_pattern_options(PatternOptions::regex())
            .should_validate_formats(true)
            .build(&json)
            .map_err(|error| {
                let error = error.to_string();
                // The rest of the message names Cargo features of the library.
                let (why, _) = error.split_once(" and retrieving it failed").unwrap_or((&error, ""));
                format!("not a usable JSON Schema: {why}; `$ref` finds what is inside of the schema alone")
            })?;
        Ok(Self {
            json: Arc::new(json),
            validator: Arc::new(validator),
        })
    }

    /// Returns the schema as given.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// Returns the query with the schema appended. `returns` is whether the agent answers by
    /// calling `return()`.
    pub fn asked(&self, query: &str, returns: bool) -> String {
        let schema = self.json.to_string();
        let section = if returns {
            &TURN_SCHEMA_RETURN
        } else {
            &TURN_SCHEMA_ANSWER
        };
        section.render([query, &schema])
    }

    /// Parses and validates an answer: JSON with or without a code fence, or else the text itself
    /// as a string.
    ///
    /// # Errors
    /// Returns the reason why no interpretation conforms, as text for the agent.
    pub fn value_of(&self, answer: &str) -> Result<Value, String> {
        let parsed = lenient_json::from_str(answer).or_else(|error| {
            let inside = in_fence(answer).ok_or(error)?;
            lenient_json::from_str(inside)
        });
        let problem = match &parsed {
            Ok(value) => self.problem(value),
            Err(error) => Some(format!("it is not JSON ({error})")),
        };
        let Some(problem) = problem else {
            return parsed.map_err(|error| error.to_string());
        };
        let text = Value::from(answer);
        if self.validator.is_valid(&text) {
            return Ok(text);
        }
        Err(truncate_middle(&problem, PROBLEM_CHARS))
    }

    fn problem(&self, value: &Value) -> Option<String> {
        let errors = self.validator.iter_errors(value).take(PROBLEMS);
        let all: Vec<String> = errors
            .map(|error| match error.instance_path().to_string().as_str() {
                "" => error.to_string(),
                place => format!("at {place}: {error}"),
            })
            .collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// Returns the message to an agent whose answer does not conform. `next` is its next position, or
/// `None` if it answers in one call.
pub fn mismatch_message(problem: &str, next: Option<Position>) -> String {
    let message = TURN_SCHEMA_MISMATCH.render([problem]);
    match next {
        Some(next) => format!("{message}\n{}", next.text()),
        None => message,
    }
}

/// Converts an answer's value to text: a string unchanged, any other value as JSON.
pub fn answer_of_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the content of a text's only code fence if its language tag is `json` or absent.
fn in_fence(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("```")?;
    let (first_line, rest) = rest.split_once('\n')?;
    if !first_line.trim().is_empty() && !first_line.trim().eq_ignore_ascii_case("json") {
        return None;
    }
    let (inside, after) = rest.split_once("```")?;
    (!after.contains("```")).then_some(inside)
}

impl PartialEq for AnswerSchema {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

impl std::fmt::Debug for AnswerSchema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("AnswerSchema").field(&self.json).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn accepts_conforming_answers_and_explains_others() {
        let number =
            json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let text = json!({"type": "string", "maxLength": 5});
        let rows = [
            (&number, r#"{"n": 1}"#, Ok(json!({"n": 1}))),
            (
                &number,
                "Here:\n```json\n{\"n\": 2}\n```\nDone.",
                Ok(json!({"n": 2})),
            ),
            (&number, "```\n{\"n\": 3}\n```", Ok(json!({"n": 3}))),
            (&number, "```js\n{\"n\": 3}\n```", Err("it is not JSON")),
            (
                &number,
                "```\n{\"n\": 3}\n``` or ```\n{\"n\": 4}\n```",
                Err("it is not JSON"),
            ),
            (&number, r#"{"n": "1"}"#, Err("at /n: \"1\" is not of type")),
            (&number, "{}", Err("\"n\" is a required property")),
            (
                &number,
                "one",
                Err("it is not JSON (expected value at line 1 column 1)"),
            ),
            (&text, "seven", Ok(json!("seven"))),
            (&text, "42", Ok(json!("42"))),
            (&text, "\"42\"", Ok(json!("42"))),
            (&text, "eleven", Err("it is not JSON")),
        ];
        for (schema, answer, wanted) in rows {
            let schema = AnswerSchema::new(schema.clone()).unwrap();
            match (schema.value_of(answer), wanted) {
                (Ok(value), Ok(wanted)) => assert_eq!(value, wanted, "{answer}"),
                (Err(why), Err(wanted)) => assert!(why.contains(wanted), "{answer}: {why}"),
                (found, _) => panic!("{answer}: {found:?}"),
            }
        }
    }

    #[test]
    fn rejects_invalid_schemas() {
        let rows = [
            (json!(true), "a JSON Schema is an object"),
            (
                json!({"type": "nothing"}),
                "not a valid JSON Schema: at /type",
            ),
            (
                json!({"$ref": "https://example.com/s.json"}),
                "not a usable JSON Schema",
            ),
            (json!({"$ref": "#/$defs/none"}), "not a usable JSON Schema"),
        ];
        for (schema, wanted) in rows {
            let why = AnswerSchema::new(schema).unwrap_err();
            assert!(why.starts_with(wanted), "{why}");
        }
        // A `$ref` cycle without other constraints accepts everything, and validation must
        // terminate.
        let own = AnswerSchema::new(json!({"allOf": [{"$ref": "#"}]})).unwrap();
        assert_eq!(own.value_of("1"), Ok(json!(1)));
        // Matching this pattern with backtracking takes exponential time.
        let pattern = AnswerSchema::new(json!({"type": "string", "pattern": "^(a+)+$"})).unwrap();
        assert!(
            pattern
                .value_of(&format!("{}!", "a".repeat(10_000)))
                .is_err()
        );
    }
}
