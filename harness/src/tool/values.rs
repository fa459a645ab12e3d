//! Values of the variables that tools read, from several sources. Some values are secret.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::prompt::definition::{Variable, VariableType};
use crate::provider::http::redact as redact_keys;

/// Values of variables, by name. Secret values are never printed, even by `Debug`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Values {
    by_name: BTreeMap<String, String>,
    secret: BTreeSet<String>,
}

/// Sources of values, highest precedence first.
#[derive(Debug, Clone, Copy)]
pub struct ValueSources<'a> {
    /// Values from the command line. Names that are neither declared nor in the other sources are
    /// ignored.
    pub given: &'a BTreeMap<String, String>,
    /// `env` of the tool's entry in `tools`.
    pub tool: &'a BTreeMap<String, String>,
    /// `env` of the prompt definition.
    pub prompt: &'a BTreeMap<String, String>,
}

/// Error for a required variable without a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the variable `{name}` has no value ({description}); pass it with --env {name}=VALUE, or with --env {name} from the environment"
)]
pub struct ValueError {
    /// Name of the variable.
    pub name: String,
    /// Description of the variable.
    pub description: String,
}

/// Returns the replacement for a secret value.
fn placeholder(name: &str) -> String {
    format!("[{name}]")
}

impl Values {
    /// Merges all sources by precedence. `variables` are the declared variables. Definitions cannot
    /// set [`FILES_DIR`](super::FILES_DIR), because a file must not choose which folder is read.
    ///
    /// # Errors
    /// Returns [`ValueError`] for the first required variable without a value.
    pub fn resolve(variables: &[Variable], sources: ValueSources<'_>) -> Result<Self, ValueError> {
        let mut values = Self::default();
        for source in [sources.prompt, sources.tool] {
            let source = source.iter().filter(|(name, _)| *name != super::FILES_DIR);
            let source = source.map(|(name, value)| (name.clone(), value.clone()));
            values.by_name.extend(source);
        }
        for variable in variables {
            if variable.kind == VariableType::Secret {
                values.secret.insert(variable.name.clone());
            }
        }
        for (name, value) in sources.given {
            let is_declared = variables.iter().any(|variable| variable.name == *name);
            if is_declared || values.by_name.contains_key(name) {
                values.by_name.insert(name.clone(), value.clone());
            }
        }
        let missing = variables
            .iter()
            .find(|variable| variable.required && values.get(&variable.name).is_none());
        match missing {
            Some(variable) => Err(ValueError {
                name: variable.name.clone(),
                description: variable.description.clone(),
            }),
            None => Ok(values),
        }
    }

    /// Returns the value of a variable, or `None` if it is missing or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        let value = self.by_name.get(name)?;
        Some(value.as_str()).filter(|value| !value.is_empty())
    }

    /// Returns all values, including secret values, for a tool's scope.
    pub(crate) fn revealed(&self) -> BTreeMap<String, String> {
        self.by_name.clone()
    }

    /// Sets a value, which is then not secret.
    #[must_use]
    pub fn with(mut self, name: &str, value: String) -> Self {
        self.secret.remove(name);
        self.by_name.insert(name.to_owned(), value);
        self
    }

    /// Returns the values that are part of a tool's digest: all except secret values and
    /// [`FILES_DIR`](super::FILES_DIR).
    pub(super) fn open(&self) -> BTreeMap<&str, &str> {
        let open = self
            .by_name
            .iter()
            .filter(|(name, _)| !self.secret.contains(*name) && *name != super::FILES_DIR);
        open.map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    /// Returns the names and values of secrets, longest value first, because a value may contain a
    /// shorter one.
    fn secrets(&self) -> Vec<(&str, &str)> {
        let mut secrets: Vec<(&str, &str)> = self
            .secret
            .iter()
            .filter_map(|name| Some((name.as_str(), self.get(name)?)))
            .collect();
        secrets.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        secrets
    }

    /// Replaces every secret value in a text by `[NAME]`, and every known provider key by `[key]`.
    /// Also finds secret values in their JSON-escaped form.
    pub fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in self.secrets() {
            let quoted = Value::from(value).to_string();
            let escaped = &quoted[1..quoted.len() - 1];
            for form in [value, escaped] {
                if text.contains(form) {
                    text = text.replace(form, &placeholder(name));
                }
            }
        }
        redact_keys(text)
    }

    /// Redacts all strings and numbers in a JSON value, including the names of fields.
    #[must_use]
    pub fn redact_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.redact(&text).into(),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.redact_value(item))
                .collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.redact(&name), self.redact_value(value)))
                .collect(),
            // A tool may have converted a secret to a number.
            Value::Number(number) => {
                let text = number.to_string();
                let struck = self.redact(&text);
                if struck == text {
                    Value::Number(number)
                } else {
                    struck.into()
                }
            }
            other => other,
        }
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.by_name.iter().map(|(name, value)| {
            let secret = self.secret.contains(name);
            (name, if secret { "[secret]" } else { value })
        });
        f.debug_map().entries(shown).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::{ValueSources, Values};
    use crate::prompt::definition::{Variable, VariableType};
    use crate::provider::http::Secret;

    fn map(pairs: &str) -> BTreeMap<String, String> {
        let pairs = pairs.split_whitespace();
        let pairs = pairs.filter_map(|pair| pair.split_once('='));
        pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    fn variable(name: &str, kind: VariableType, required: bool) -> Variable {
        Variable {
            name: name.to_owned(),
            kind,
            required,
            description: "a description".to_owned(),
        }
    }

    #[test]
    fn prefers_highest_source_and_ignores_undeclared_names() {
        // Columns: given, tool, prompt, and the resulting values. Only A is declared.
        for (given, tool, prompt, expected) in [
            ("A=1", "A=3", "A=4", "A=1"),
            ("", "A=3", "A=4 B=4", "A=3 B=4"),
            ("", "", "A=4", "A=4"),
            ("B=1", "B=3", "", "B=1"),
            ("", "", "", ""),
            ("A=1 C=1", "", "", "A=1"),
        ] {
            let values = Values::resolve(
                &[variable("A", VariableType::Text, false)],
                ValueSources {
                    given: &map(given),
                    tool: &map(tool),
                    prompt: &map(prompt),
                },
            );
            assert_eq!(
                values.unwrap().by_name,
                map(expected),
                "{given}|{tool}|{prompt}"
            );
        }
    }

    #[test]
    fn rejects_required_variable_without_value() {
        let declared = [variable("KEY", VariableType::Secret, true)];
        let none = BTreeMap::new();
        for (given, right) in [("KEY=x", true), ("KEY=", false), ("", false)] {
            let sources = ValueSources {
                given: &map(given),
                tool: &none,
                prompt: &none,
            };
            assert_eq!(
                Values::resolve(&declared, sources).is_ok(),
                right,
                "{given}"
            );
        }
    }

    #[test]
    fn redacts_secret_values_everywhere() {
        let declared = [
            variable("KEY", VariableType::Secret, true),
            variable("LONG", VariableType::Secret, false),
            variable("OPEN", VariableType::Text, false),
        ];
        let given = [
            ("KEY", "can\"ary"),
            ("LONG", "can\"ary-2"),
            ("OPEN", "open"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let none = BTreeMap::new();
        let sources = ValueSources {
            given: &BTreeMap::from(given),
            tool: &none,
            prompt: &none,
        };
        let values = Values::resolve(&declared, sources).unwrap();
        let _ = Secret::new("sk-provider-of-values");
        let keys = json!(["sk-provider-of-values"]);
        assert_eq!(Values::default().redact_value(keys), json!(["[key]"]));
        let shown = json!({ "a": ["x can\"ary y", { "can\"ary-2": "open" }], "json": "{\"k\":\"can\\\"ary\"}", "n": 1 });
        let expected = json!({ "a": ["x [KEY] y", { "[LONG]": "open" }], "json": "{\"k\":\"[KEY]\"}", "n": 1 });
        assert_eq!(values.redact_value(shown), expected);
        assert!(!format!("{values:?}").contains("ary"));
    }
}
