//! The tool reference in the prompt of an agent with a REPL: each function with its arguments.

use serde_json::Value;

use super::sections::{TOOL, TOOL_PARAMETER};
use crate::model::ToolSpec;

/// Maximum characters of a parameter's TypeScript type.
const LONGEST_TYPE: usize = 120;

/// Returns one line for each tool, each followed by one line for every parameter with a
/// description.
pub(super) fn tool_reference(tools: &[ToolSpec]) -> String {
    let tools: Vec<String> = tools.iter().map(one).collect();
    tools.join("\n")
}

fn one(tool: &ToolSpec) -> String {
    let properties: Vec<(&String, &Value)> = tool.parameters["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .collect();
    let required = tool.parameters["required"].as_array();
    let is_required = |name: &str| {
        required
            .into_iter()
            .flatten()
            .any(|needed| needed.as_str() == Some(name))
    };
    let arguments: Vec<String> = properties
        .iter()
        .map(|(name, schema)| {
            let optional = if is_required(name) { "" } else { "?" };
            let default = schema
                .get("default")
                .map_or(String::new(), |default| format!(" = {default}"));
            format!("{name}{optional}: {}{default}", type_of(schema))
        })
        .collect();
    let call = if arguments.is_empty() {
        format!("{}()", tool.name)
    } else {
        format!("{}({{ {} }})", tool.name, arguments.join(", "))
    };
    let mut parameters = String::new();
    for (name, schema) in properties {
        if let Some(description) = schema["description"].as_str() {
            parameters.push('\n');
            parameters.push_str(&TOOL_PARAMETER.render([&one_line(description), name]));
        }
    }
    TOOL.render([&call, &one_line(&tool.description), &parameters])
}

/// Converts a JSON Schema to a TypeScript type on one line. A type that is too long is replaced by
/// its JSON type, for example `object`.
fn type_of(schema: &Value) -> String {
    let written = written_out(schema);
    if written.chars().count() <= LONGEST_TYPE {
        return written;
    }
    schema["type"].as_str().unwrap_or("any").to_owned()
}

fn written_out(schema: &Value) -> String {
    let either = |schemas: &[Value], of: fn(&Value) -> String| {
        schemas.iter().map(of).collect::<Vec<_>>().join(" | ")
    };
    if let Some(values) = schema["enum"].as_array() {
        return either(values, Value::to_string);
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    for alternatives in ["anyOf", "oneOf"] {
        if let Some(schemas) = schema[alternatives].as_array() {
            return either(schemas, written_out);
        }
    }
    match &schema["type"] {
        Value::Array(types) => either(types, |kind| kind.as_str().unwrap_or("any").to_owned()),
        Value::String(kind) if kind == "array" => match schema.get("items") {
            Some(items) => {
                let items = written_out(items);
                if items.contains(" | ") {
                    format!("({items})[]")
                } else {
                    format!("{items}[]")
                }
            }
            None => "any[]".to_owned(),
        },
        Value::String(kind) if kind == "object" && schema["properties"].is_object() => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let fields: Vec<String> = fields
                .map(|(name, field)| format!("{name}: {}", written_out(field)))
                .collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::String(kind) => kind.clone(),
        _ => "any".to_owned(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
