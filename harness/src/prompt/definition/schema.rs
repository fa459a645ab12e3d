//! `requiredSchema`: the JSON Schema of a prompt's input.

use std::sync::Arc;

use jsonschema::Validator;
use serde::Serialize;
use serde_json::{Map, Value};

/// JSON Schema of an input object, compiled for validation.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct InputSchema {
    json: Arc<Value>,
    #[serde(skip)]
    validator: Arc<Validator>,
}

/// A violation of an [`InputSchema`] by an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", field_name(.field))]
pub struct InputFault {
    /// JSON Pointer to the value; empty for the whole input.
    pub field: String,
    /// Description of the problem.
    pub problem: String,
}

fn field_name(pointer: &str) -> String {
    match pointer.trim_start_matches('/') {
        "" => "the input".to_owned(),
        field => format!("field `{}`", field.replace('/', ".")),
    }
}

impl InputSchema {
    /// Compiles a schema, whose `format` keywords are enforced. A `$ref` can only refer to parts of
    /// the same schema, because files and the network are not accessed.
    ///
    /// # Errors
    /// Returns the reason why the schema is invalid, or that its type is not `object`.
    pub fn new(json: Value) -> Result<Self, String> {
        if json.get("type").and_then(Value::as_str) != Some("object") {
            return Err(
                "expected a JSON Schema with `type: object`, because arguments are named"
                    .to_owned(),
            );
        }
        jsonschema::meta::validate(&json).map_err(|error| {
            let place = error.instance_path().to_string();
            format!("not a valid JSON Schema: {}: {error}", field_name(&place))
        })?;
        // By default, newer drafts do not enforce `format`.
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .should_ignore_unknown_formats(false)
            .build(&json)
            .map_err(|error| format!("not a usable JSON Schema: {error}"))?;
        Ok(Self {
            json: Arc::new(json),
            validator: Arc::new(validator),
        })
    }

    /// Returns the schema as given, including descriptions, for use as a tool's parameters.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// Adds the schema's defaults for missing values, and returns the input if it then conforms.
    ///
    /// Defaults are added in `properties` and `items` at any depth, but not in the target of a
    /// `$ref`.
    ///
    /// # Errors
    /// Returns all violations of the schema.
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
