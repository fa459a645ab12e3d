//! Structured output: which schemas servers take for a response, and which of them they promise to keep to. What a server would refuse
//! is not sent: the harness checks every answer itself, and asks again.

use serde_json::{Map, Value, json};

use super::wire::items;
use crate::provider::Request;

/// The schema of a request's answer, where it is one of an object: servers take no other.
pub(super) fn object_schema(request: &Request) -> Option<&Value> {
    let schema = request.answer_schema.as_ref()?.json();
    (schema.get("type") == Some(&json!("object"))).then_some(schema)
}

/// Whether a schema surely is of the kind whose arguments the server can promise: every object closed and all of its
/// fields required, <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>.
pub(super) fn is_strict(schema: &Value) -> bool {
    let Some(schema) = schema.as_object() else {
        return false;
    };
    let known = [
        "type",
        "description",
        "enum",
        "properties",
        "required",
        "additionalProperties",
        "items",
    ];
    let empty = Map::new();
    let fields = schema.get("properties").and_then(Value::as_object);
    let fields = fields.unwrap_or(&empty);
    let required = schema.get("required").map_or(&[][..], items);
    let closed = schema.get("additionalProperties") == Some(&json!(false));
    let is_object = schema.get("type") == Some(&json!("object"));
    schema.keys().all(|key| known.contains(&key.as_str()))
        && schema.contains_key("type")
        && (!is_object || closed)
        && fields.keys().all(|name| required.contains(&json!(name)))
        && fields.values().all(is_strict)
        && schema.get("items").is_none_or(is_strict)
}

/// Keywords that both of the following take.
const COMMON: [&str; 9] = [
    "type",
    "title",
    "description",
    "enum",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
];

/// Optional fields that Anthropic takes in one schema, and as many union types,
/// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>.
const OPTIONAL_FIELDS: usize = 24;
const UNIONS: usize = 16;

/// Whether Anthropic surely takes a schema: every object is closed, and nothing bounds numbers, texts or lists,
/// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>.
pub(super) fn is_of_anthropic(schema: &Value) -> bool {
    let (mut optional, mut unions) = (0, 0);
    let fits = every_part(schema, &mut |part| {
        let known = |key: &String| COMMON.contains(&key.as_str()) || key == "const";
        let is_plain = |value: &Value| !value.is_object() && !value.is_array();
        let closed = part.get("additionalProperties") == Some(&json!(false));
        let fields = part.get("properties").and_then(Value::as_object);
        let required = part.get("required").map_or(&[][..], items).len();
        optional += fields.map_or(0, Map::len).saturating_sub(required);
        unions += usize::from(
            part.contains_key("anyOf") || part.get("type").is_some_and(Value::is_array),
        );
        part.keys().all(known)
            && (part.get("type") != Some(&json!("object")) || closed)
            && part
                .get("enum")
                .is_none_or(|all| items(all).iter().all(is_plain))
            && part.get("const").is_none_or(is_plain)
    });
    fits && optional <= OPTIONAL_FIELDS && unions <= UNIONS
}

/// Whether Google surely takes a schema, <https://ai.google.dev/gemini-api/docs/structured-output#json-schema-support>.
pub(super) fn is_of_google(schema: &Value) -> bool {
    let more = ["minItems", "maxItems", "minimum", "maximum"];
    every_part(schema, &mut |part| {
        let known = |key: &String| COMMON.contains(&key.as_str()) || more.contains(&key.as_str());
        let is_plain = |value: &Value| value.is_string() || value.is_number();
        part.keys().all(known)
            && part
                .get("enum")
                .is_none_or(|all| items(all).iter().all(is_plain))
    })
}

/// Whether this holds for a schema and for every one in it. A part that is no object is no schema that is surely taken.
fn every_part(schema: &Value, holds: &mut impl FnMut(&Map<String, Value>) -> bool) -> bool {
    let Some(part) = schema.as_object() else {
        return false;
    };
    let fields = part.get("properties").and_then(Value::as_object);
    let fields = fields.into_iter().flat_map(Map::values);
    let choices = part.get("anyOf").map_or(&[][..], items);
    let mut inner = fields.chain(choices).chain(part.get("items"));
    holds(part) && inner.all(|inner| every_part(inner, holds))
}
