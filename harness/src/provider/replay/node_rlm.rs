//! Result files of the JavaScript system: one object with every root response under `results[].trace[]`.
//!
//! What children answered is not in them.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use super::{Key, Replay, ReplayError, Response, format_error, read_text};

#[derive(serde::Deserialize)]
struct ResultFile {
    #[expect(dead_code, reason = "tells this format from others")]
    benchmark: String,
    model: String,
    results: Vec<TaskResult>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskResult {
    task_id: String,
    trace: Vec<Step>,
}

#[derive(serde::Deserialize)]
struct Step {
    /// The whole response, code block included.
    reasoning: AnyText,
}

/// A string as JavaScript has them. A lone surrogate, which JSON can say and UTF-8 cannot, becomes U+FFFD.
struct AnyText(String);

/// Reads such a file.
pub(super) fn read(path: &Path) -> Result<Replay, ReplayError> {
    let text = read_text(path)?;
    // Else it would be taken for an object without the names of its fields.
    if text.trim_start().starts_with('[') {
        return Err(format_error(path, "it is an array"));
    }
    let file: ResultFile =
        serde_json::from_str(&text).map_err(|error| format_error(path, error.to_string()))?;
    let mut samples = Vec::new();
    let mut responses = HashMap::new();
    for result in file.results {
        if samples.contains(&result.task_id) {
            return Err(format_error(
                path,
                format!("task {} is recorded twice", result.task_id),
            ));
        }
        for (turn, step) in (1..).zip(result.trace) {
            let key = Key {
                sample: result.task_id.clone(),
                attempt: 1,
                invocation: "root".to_owned(),
                turn,
            };
            let response = Response {
                text: step.reasoning.0,
                served_model: Some(file.model.clone()),
                ..Response::default()
            };
            responses.insert(key, response);
        }
        samples.push(result.task_id);
    }
    Ok(Replay {
        name: path.display().to_string(),
        samples,
        responses,
        has_attempts: false,
    })
}

impl<'de> Deserialize<'de> for AnyText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // As bytes, for as strings lone surrogates are errors. They come as three bytes that no other character has.
        from.deserialize_bytes(AnyTextVisitor)
    }
}

struct AnyTextVisitor;

impl Visitor<'_> for AnyTextVisitor {
    type Value = AnyText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<AnyText, E> {
        let mut bytes = bytes.to_vec();
        for at in 0..bytes.len().saturating_sub(2) {
            if bytes[at] == 0xED && bytes[at + 1] >= 0xA0 {
                bytes[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
            }
        }
        String::from_utf8(bytes).map(AnyText).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::AnyText;

    #[test]
    fn any_string_of_javascript_is_text() {
        let no_text = "invalid type: integer `5`, expected a string at line 1 column 1";
        let rows = [
            ("''", Ok("")),
            ("'a\\n\\u00e9é🦀\\ud83e\\udd80'", Ok("a\néé🦀🦀")),
            (
                "'\\ud800 x \\udc00\\ud83e'",
                Ok("\u{fffd} x \u{fffd}\u{fffd}"),
            ),
            ("'\\ud7ff\\ue000'", Ok("\u{d7ff}\u{e000}")),
            ("5", Err(no_text)),
        ];
        for (json, expected) in rows {
            let got = serde_json::from_str(&json.replace('\'', "\"")).map(|AnyText(text)| text);
            let got = got.map_err(|error: serde_json::Error| error.to_string());
            assert_eq!(
                got.as_deref().map_err(String::as_str),
                expected,
                "for {json}"
            );
        }
    }
}
