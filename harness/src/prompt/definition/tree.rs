//! Tree of values from a definition's file, with line numbers if known.

use std::collections::BTreeMap;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::Spanned;

use crate::script_file::default_export;
use crate::text::LineError;

/// A value, with the number of its first line if known.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub line: Option<u64>,
    pub content: Content,
}

#[derive(Debug, Clone)]
pub(super) enum Content {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key of a map with its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub key: String,
    pub value: Node,
}

impl Node {
    /// Parses YAML. Line numbers are relative to `text`.
    pub fn from_yaml(text: &str) -> Result<Self, LineError> {
        crate::text::yaml::read(text)
    }

    /// Parses JSON. Line numbers are taken from parsing the text as YAML, and are unknown if that
    /// fails; nearly all JSON is valid YAML.
    pub fn from_json(text: &str) -> Result<Self, LineError> {
        let mut node: Self = serde_json::from_str(text).map_err(|error| {
            let line = error.line();
            let problem = error.to_string();
            let place = format!(" at line {line} column {}", error.column());
            LineError {
                line: (line > 0).then_some(line as u64),
                problem: problem.strip_suffix(&place).unwrap_or(&problem).to_owned(),
            }
        })?;
        if let Ok(lines) = Self::from_yaml(text) {
            node.take_lines(&lines);
        }
        Ok(node)
    }

    /// Returns the default export of a module, which is the argument of `definePrompt`. The line of
    /// a top-level property is known if exactly one line begins with its name.
    pub fn from_module(text: &str, is_typescript: bool) -> Result<Self, LineError> {
        let json = default_export(text, is_typescript)?;
        let mut node: Self = serde_json::from_str(&json)
            .map_err(|error| format!("its default export is not JSON: {error}"))?;
        if let Self {
            content: Content::Map(entries),
            ..
        } = &mut node
        {
            for Entry { key, value } in entries {
                let begins = |line: &str| {
                    let rest = line.trim_start().strip_prefix(key.as_str());
                    rest.is_some_and(|rest| rest.starts_with(':'))
                };
                let mut lines = (1..).zip(text.lines()).filter(|(_, line)| begins(line));
                value.line = lines.next().map(|(number, _)| number);
                if lines.next().is_some() {
                    value.line = None;
                }
            }
        }
        Ok(node)
    }

    fn take_lines(&mut self, from: &Self) {
        self.line = from.line;
        match (&mut self.content, &from.content) {
            (Content::List(own), Content::List(other)) => {
                for (own, other) in own.iter_mut().zip(other) {
                    own.take_lines(other);
                }
            }
            (Content::Map(own), Content::Map(other)) => {
                for (own, other) in own.iter_mut().zip(other) {
                    own.value.take_lines(&other.value);
                }
            }
            _ => {}
        }
    }

    /// Returns the entries of a map; empty for other values.
    pub fn entries(&self) -> &[Entry] {
        match &self.content {
            Content::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the items of a list; empty for other values.
    pub fn items(&self) -> &[Self] {
        match &self.content {
            Content::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the value of a key of a map.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let entry = self.entries().iter().find(|entry| entry.key == key);
        entry.map(|entry| &entry.value)
    }

    /// Adds the known lines of the values in this one, by property. The full name of this one is
    /// `path`.
    pub fn add_lines(&self, path: &str, lines: &mut BTreeMap<String, u64>) {
        let entries = self.entries().iter();
        let entries = entries.map(|entry| (join(path, &entry.key), &entry.value));
        let items = self.items().iter().enumerate();
        let items = items.map(|(at, item)| (format!("{path}[{at}]"), item));
        for (path, value) in entries.chain(items) {
            value.add_lines(&path, lines);
            if let Some(line) = value.line {
                lines.insert(path, line);
            }
        }
    }

    /// Returns the kind of the value for error messages.
    pub const fn kind(&self) -> &'static str {
        match self.content {
            Content::Null => "nothing",
            Content::Bool(_) => "a boolean",
            Content::Number(_) => "a number",
            Content::Text(_) => "text",
            Content::List(_) => "a list",
            Content::Map(_) => "a map",
        }
    }

    /// Returns the value without line numbers.
    pub fn to_value(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Number(value) => Value::Number(value.clone()),
            Content::Text(value) => Value::String(value.clone()),
            Content::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Content::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_value()));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned: Spanned<Content> = Spanned::deserialize(deserializer)?;
        let line = spanned.referenced.line();
        Ok(Self {
            line: (line > 0).then_some(line),
            content: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Null)
    }

    fn visit_none<E>(self) -> Result<Content, E> {
        Ok(Content::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Content, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Content, E> {
        Ok(Content::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Content, E> {
        Ok(Content::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Content, E> {
        Ok(Content::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Content, E> {
        Number::from_f64(value)
            .map(Content::Number)
            .ok_or_else(|| E::custom(format!("expected a finite number, found {value}")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Content, E> {
        Ok(Content::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Content, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Content::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Content, A::Error> {
        let mut entries: Vec<Entry> = Vec::new();
        while let Some(key) = access.next_key::<String>()? {
            if entries.iter().any(|entry| entry.key == key) {
                return Err(de::Error::custom(format!("duplicate `{key}`")));
            }
            let value = access.next_value()?;
            entries.push(Entry { key, value });
        }
        Ok(Content::Map(entries))
    }
}

/// Returns the full name of a property in the map at `path`, which is empty for the whole file.
pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}
