//! The values of variables that tools read: where each comes from, and which of them nobody else may see.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::prompt::definition::{Variable, VariableType};
use crate::provider::http::strike_out as redact_keys;

/// Values of variables by name. Neither `Debug` nor anything else shows a secret one.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Values {
    by_name: BTreeMap<String, String>,
    secret: BTreeSet<String>,
}

/// Where values come from, the highest first.
#[derive(Debug, Clone, Copy)]
pub struct ValueSources<'a> {
    /// What the user gave on the command line, of which only declared variables, and names of the two below, are taken.
    pub given: &'a BTreeMap<String, String>,
    /// The `env` of the entry of `tools`.
    pub tool: &'a BTreeMap<String, String>,
    /// The `env` of the prompt.
    pub prompt: &'a BTreeMap<String, String>,
}

/// A required variable without a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the variable `{name}` has no value ({description}); pass it with --env {name}=VALUE, or with --env {name} from the environment"
)]
pub struct ValueError {
    /// The variable.
    pub name: String,
    /// What it is for.
    pub description: String,
}

/// What stands where a secret value was.
fn struck_out(name: &str) -> String {
    format!("[{name}]")
}

impl Values {
    /// The values of all sources, each name by its highest. `variables` are those that the definition declares.
    ///
    /// # Errors
    /// The first required variable that no source has a value for.
    pub fn resolve(variables: &[Variable], sources: ValueSources<'_>) -> Result<Self, ValueError> {
        let mut values = Self::default();
        for source in [sources.prompt, sources.tool] {
            values.by_name.extend(source.clone());
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

    /// The value of a variable; an empty one counts as none.
    pub fn get(&self, name: &str) -> Option<&str> {
        let value = self.by_name.get(name)?;
        Some(value.as_str()).filter(|value| !value.is_empty())
    }

    /// Every name with its value, secret ones included: what a tool's scope holds.
    pub(crate) fn revealed(&self) -> BTreeMap<String, String> {
        self.by_name.clone()
    }

    /// The same with one more value, which is not secret.
    #[must_use]
    pub fn with(mut self, name: &str, value: String) -> Self {
        self.secret.remove(name);
        self.by_name.insert(name.to_owned(), value);
        self
    }

    /// Every name with its value, those that are secret and the folder of files left out: what can change an answer.
    pub(super) fn open(&self) -> BTreeMap<&str, &str> {
        let open = self
            .by_name
            .iter()
            .filter(|(name, _)| !self.secret.contains(*name) && *name != super::FILES_DIR);
        open.map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    /// Those of these names alone; what is secret stays so.
    #[must_use]
    pub fn scoped(&self, names: &[String]) -> Self {
        let mut scoped = self.clone();
        scoped.by_name.retain(|name, _| names.contains(name));
        scoped
    }

    /// The values that are secret, the longest first, each with its name.
    fn secrets(&self) -> Vec<(&str, &str)> {
        let mut secrets: Vec<(&str, &str)> = self
            .secret
            .iter()
            .filter_map(|name| Some((name.as_str(), self.get(name)?)))
            .collect();
        secrets.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        secrets
    }

    /// The text with every secret value in it, plain or escaped as in JSON, replaced by `[NAME]`, and every key of a
    /// provider that this process knows by `[key]`.
    pub fn strike_out(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in self.secrets() {
            let quoted = Value::from(value).to_string();
            let escaped = &quoted[1..quoted.len() - 1];
            for form in [value, escaped] {
                if text.contains(form) {
                    text = text.replace(form, &struck_out(name));
                }
            }
        }
        redact_keys(text)
    }

    /// The same of every text in a value, names of fields included.
    #[must_use]
    pub fn strike_out_of(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.strike_out(&text).into(),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.strike_out_of(item))
                .collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.strike_out(&name), self.strike_out_of(value)))
                .collect(),
            // A secret may be a number to the tool.
            Value::Number(number) => {
                let text = number.to_string();
                let struck = self.strike_out(&text);
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
            description: "what it is for".to_owned(),
        }
    }

    #[test]
    fn the_highest_source_wins_and_undeclared_names_are_not_read() {
        // given, tool, prompt → A and B, of which A alone is declared
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
    fn a_required_variable_needs_a_value_that_is_not_empty() {
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
    fn secret_values_are_struck_out_wherever_they_stand() {
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
        assert_eq!(Values::default().strike_out_of(keys), json!(["[key]"]));
        let shown = json!({ "a": ["x can\"ary y", { "can\"ary-2": "open" }], "json": "{\"k\":\"can\\\"ary\"}", "n": 1 });
        let expected = json!({ "a": ["x [KEY] y", { "[LONG]": "open" }], "json": "{\"k\":\"[KEY]\"}", "n": 1 });
        assert_eq!(values.strike_out_of(shown), expected);
        assert!(!format!("{values:?}").contains("ary"));
    }
}
