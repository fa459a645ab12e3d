//! Structured output: determines which schemas servers support and enforce. Unsupported schemas are
//! not sent; the harness itself checks every answer and requests corrections.

use serde_json::{Map, Value, json};

use super::json_fields::items;
use crate::provider::Request;

/// Returns the answer schema of a request if it describes an object, because servers support only
/// those.
pub(super) fn object_schema(request: &Request) -> Option<&Value> {
    let schema = request.answer_schema.as_ref()?.json();
    (schema.get("type") == Some(&json!("object"))).then_some(schema)
}

/// Whether strict mode certainly supports a schema, because it has only supported keywords, every
/// object is closed and all fields are required:
/// <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>.
pub(super) fn is_strict(schema: &Value) -> bool {
    let known = [
        "type",
        "description",
        "enum",
        "properties",
        "required",
        "additionalProperties",
        "items",
    ];
    every_part(schema, &mut |part| {
        let fields = part.get("properties").and_then(Value::as_object);
        let mut fields = fields.into_iter().flat_map(Map::keys);
        let required = part.get("required").map_or(&[][..], items);
        part.keys().all(|key| known.contains(&key.as_str()))
            && part.contains_key("type")
            && is_closed(part)
            && fields.all(|name| required.contains(&json!(name)))
    })
}

/// Whether a schema does not describe an object, or does not allow the object other fields.
fn is_closed(part: &Map<String, Value>) -> bool {
    part.get("type") != Some(&json!("object"))
        || part.get("additionalProperties") == Some(&json!(false))
}

/// Keywords that both Anthropic and Google support.
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

/// Maximum number of optional fields in a schema for Anthropic:
/// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>.
const OPTIONAL_FIELDS: usize = 24;

/// Maximum number of fields with a union type in a schema for Anthropic (same page).
const UNIONS: usize = 16;

/// Whether Anthropic certainly supports a schema, because every object is closed, and numbers,
/// strings and lists have no bounds:
/// <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>.
pub(super) fn is_of_anthropic(schema: &Value) -> bool {
    let (mut optional, mut unions) = (0, 0);
    let fits = every_part(schema, &mut |part| {
        let known = |key: &String| COMMON.contains(&key.as_str()) || key == "const";
        let is_plain = |value: &Value| !value.is_object() && !value.is_array();
        let fields = part.get("properties").and_then(Value::as_object);
        let required = part.get("required").map_or(&[][..], items).len();
        optional += fields.map_or(0, Map::len).saturating_sub(required);
        unions += usize::from(
            part.contains_key("anyOf") || part.get("type").is_some_and(Value::is_array),
        );
        part.keys().all(known)
            && is_closed(part)
            && part
                .get("enum")
                .is_none_or(|all| items(all).iter().all(is_plain))
            && part.get("const").is_none_or(is_plain)
    });
    fits && optional <= OPTIONAL_FIELDS && unions <= UNIONS
}

/// Whether Google certainly supports a schema:
/// <https://ai.google.dev/gemini-api/docs/structured-output#json-schema-support>.
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

/// Whether `holds` is true for a schema and all nested schemas. A nested schema that is not an
/// object counts as unsupported.
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
