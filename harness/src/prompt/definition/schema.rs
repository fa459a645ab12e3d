//! `requiredSchema`: what a prompt takes as its input, as JSON Schema.

use std::sync::Arc;

use jsonschema::Validator;
use serde_json::{Map, Value};

/// A schema of an object, ready to check inputs.
#[derive(Debug, Clone)]
pub struct InputSchema {
    json: Arc<Value>,
    validator: Arc<Validator>,
}

/// Something wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", field_name(.field))]
pub struct InputFault {
    /// A JSON Pointer to the value, empty for the whole input.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

fn field_name(pointer: &str) -> String {
    match pointer.trim_start_matches('/') {
        "" => "the input".to_owned(),
        field => format!("field `{}`", field.replace('/', ".")),
    }
}

impl InputSchema {
    /// Reads a schema. `$ref` finds what is inside of the schema alone: no file and no network is read.
    ///
    /// # Errors
    /// What makes it no valid schema, or not one of an object.
    pub fn new(json: Value) -> Result<Self, String> {
        if json.get("type").and_then(Value::as_str) != Some("object") {
            return Err(
                "expected a JSON Schema with `type: object`, since inputs have names".to_owned(),
            );
        }
        jsonschema::meta::validate(&json).map_err(|error| {
            let place = error.instance_path().to_string();
            format!("not a valid JSON Schema: {}: {error}", field_name(&place))
        })?;
        let validator = jsonschema::validator_for(&json)
            .map_err(|error| format!("not a usable JSON Schema: {error}"))?;
        Ok(Self {
            json: Arc::new(json),
            validator: Arc::new(validator),
        })
    }

    /// The schema as it was written, descriptions included: the parameters of a tool.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// The input with the schema's defaults where it has no value, if it then conforms.
    ///
    /// Defaults are those of `properties` and `items`, at any depth, but not behind a `$ref`.
    ///
    /// # Errors
    /// Everything that does not conform.
    pub fn accept(&self, mut input: Value) -> Result<Value, Vec<InputFault>> {
        add_defaults(&self.json, &mut input);
        let faults: Vec<InputFault> = self
            .validator
            .iter_errors(&input)
            .map(|error| InputFault {
                field: error.instance_path().to_string(),
                problem: error.to_string(),
            })
            .collect();
        if faults.is_empty() {
            Ok(input)
        } else {
            Err(faults)
        }
    }
}

impl PartialEq for InputSchema {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

fn add_defaults(schema: &Value, input: &mut Value) {
    match input {
        Value::Object(fields) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten() {
                add_default(name, property, fields);
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    add_defaults(schema, item);
                }
            }
        }
        _ => {}
    }
}

fn add_default(name: &str, property: &Value, fields: &mut Map<String, Value>) {
    if !fields.contains_key(name)
        && let Some(default) = property.get("default")
    {
        fields.insert(name.to_owned(), default.clone());
    }
    if let Some(value) = fields.get_mut(name) {
        add_defaults(property, value);
    }
}
