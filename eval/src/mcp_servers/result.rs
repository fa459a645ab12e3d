//! Converts the result of an MCP server's tool to the value that an agent gets.

use harness::model::excerpt;
use harness::tool::ToolError;
use serde_json::{Value, json};

/// Maximum characters of a description or an error of a server; the rest is cut.
pub(super) const MAX_TEXT_CHARS: usize = 4_000;

/// Returns the structured content of a result if there is any, otherwise its text, or the list of
/// its parts if some are not text.
///
/// # Errors
/// The text of a result that is marked as an error.
pub(super) fn value(tool: &str, result: &Value) -> Result<Value, ToolError> {
    let parts = result["content"].as_array().map_or(&[][..], Vec::as_slice);
    let parts: Vec<Value> = parts.iter().map(part).collect();
    let texts: Option<Vec<&str>> = parts.iter().map(Value::as_str).collect();
    let text = texts.map(|texts| texts.join("\n"));
    let structured = &result["structuredContent"];
    if result["isError"] == json!(true) {
        let problem = match text {
            Some(text) if !text.trim().is_empty() => text,
            _ if !structured.is_null() => structured.to_string(),
            _ => json!(parts).to_string(),
        };
        let problem = excerpt(problem.trim(), MAX_TEXT_CHARS);
        return Err(ToolError(format!("{tool}(): {problem}")));
    }
    Ok(match text {
        _ if !structured.is_null() => structured.clone(),
        Some(text) => Value::String(text),
        None => Value::Array(parts),
    })
}

/// Returns the text of a text part, and a description of any other part. Omits the bytes of images
/// and sounds, because neither code nor models could use them.
fn part(part: &Value) -> Value {
    let length = |data: &Value| data.as_str().map_or(0, |text| text.len() / 4 * 3);
    match part["type"].as_str() {
        Some("text") => part["text"].clone(),
        Some(kind @ ("image" | "audio")) => json!({
            "type": kind,
            "mimeType": part["mimeType"],
            "bytes": length(&part["data"]),
        }),
        Some("resource") => {
            let resource = &part["resource"];
            match &resource["text"] {
                Value::Null => json!({
                    "type": "resource",
                    "uri": resource["uri"],
                    "mimeType": resource["mimeType"],
                    "base64": resource["blob"],
                }),
                text => json!({"type": "resource", "uri": resource["uri"], "text": text}),
            }
        }
        Some("resource_link") => json!({
            "type": "resource_link",
            "uri": part["uri"],
            "name": part["name"],
        }),
        _ => part.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::value;

    #[test]
    fn results_become_values() {
        let text = |text: &str| json!({"type": "text", "text": text});
        let image = json!({"type": "image", "mimeType": "image/png", "data": "AAAA"});
        let rows: [(Value, Result<Value, &str>); 8] = [
            (json!({"content": [text("a")]}), Ok(json!("a"))),
            (
                json!({"content": [text("a"), text("b")]}),
                Ok(json!("a\nb")),
            ),
            (json!({"content": []}), Ok(json!(""))),
            (
                json!({"content": [text("{}")], "structuredContent": {"n": 1}}),
                Ok(json!({"n": 1})),
            ),
            (
                json!({"content": [text("a"), image]}),
                Ok(json!(["a", {"type": "image", "mimeType": "image/png", "bytes": 3}])),
            ),
            (
                json!({"content": [{"type": "resource", "resource": {"uri": "x:y", "text": "t"}}]}),
                Ok(json!([{"type": "resource", "uri": "x:y", "text": "t"}])),
            ),
            (
                json!({"content": [text("no such note")], "isError": true}),
                Err("t(): no such note"),
            ),
            (
                json!({"content": [], "isError": true, "structuredContent": {"code": 4}}),
                Err("t(): {\"code\":4}"),
            ),
        ];
        for (result, expected) in rows {
            let found = value("t", &result).map_err(|error| error.to_string());
            assert_eq!(found, expected.map_err(str::to_owned), "{result}");
        }
    }
}
