//! Finds secrets in the parts of a definition that a model reads: its prompt, tool description and
//! input schema.

use serde_json::Value;

use super::fault::Fault;
use super::library::Library;
use super::properties::Definition;
use super::secrets::secrets_in;

impl Library {
    /// Returns a fault for each secret in a definition's `prompt`, `toolDescription` and
    /// `requiredSchema`. Secrets are keys in known formats and the given `values`. A secret that
    /// appears only after includes are resolved is reported for the whole `prompt`.
    pub fn leaks(&self, definition: &Definition, values: &[&str]) -> Vec<Fault> {
        let fault = |field: &str, problem: String| Fault::new(definition.place(field), problem);
        let mut faults = Vec::new();
        for (field, text) in sent(definition) {
            for secret in secrets_in(text, values) {
                faults.push(fault(&field, format!("contains a secret: {secret}")));
            }
        }
        // A secret may be split across several pieces.
        if faults.is_empty()
            && let Ok(prompt) = self.resolve(definition)
        {
            for secret in secrets_in(&prompt.text(), values) {
                faults.push(fault("prompt", format!("contains a secret: {secret}")));
            }
        }
        faults
    }
}

/// Returns the texts of a definition that a model reads, each with its property. Included texts are
/// omitted.
fn sent(definition: &Definition) -> Vec<(String, &str)> {
    let mut texts = vec![(
        "toolDescription".to_owned(),
        definition.tool_description.as_str(),
    )];
    texts.extend(definition.prompt_texts());
    if let Some(schema) = &definition.required_schema {
        add_texts("requiredSchema", schema.json(), &mut texts);
    }
    texts
}

/// Adds every string in a value, including the names of object fields.
fn add_texts<'a>(path: &str, value: &'a Value, texts: &mut Vec<(String, &'a str)>) {
    match value {
        Value::String(text) => texts.push((path.to_owned(), text)),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                add_texts(&format!("{path}[{at}]"), item, texts);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                texts.push((path.to_owned(), name));
                add_texts(&format!("{path}.{name}"), value, texts);
            }
        }
        _ => {}
    }
}
