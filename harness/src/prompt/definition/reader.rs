//! Checks the properties in a tree of values and collects all faults.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::fault::{Fault, SourceLocation};
use super::properties::Source;
use super::shape::{Presence, Property, Shape};
use super::tree::{Content, Entry, Node, join};
use crate::text::hint_for_unknown;

/// State while reading one file, with the faults found so far.
pub(super) struct Reader<'a> {
    source: &'a Source,
    pub faults: Vec<Fault>,
}

impl<'a> Reader<'a> {
    pub const fn new(source: &'a Source) -> Self {
        Self {
            source,
            faults: Vec::new(),
        }
    }

    pub fn fault(&mut self, line: Option<u64>, field: &str, problem: impl Into<String>) {
        let place = SourceLocation {
            file: self.source.to_string(),
            line,
            field: field.to_owned(),
        };
        self.faults.push(Fault::new(place, problem));
    }

    /// Reports a value of the wrong kind.
    pub fn expected(&mut self, node: &Node, field: &str, what: &str) {
        let comma = if what.ends_with(';') { "" } else { "," };
        let problem = format!("expected {what}{comma} found {}", node.kind());
        self.fault(node.line, field, problem);
    }

    /// Reports the entries of a map that are not `known` properties.
    pub fn unknown(&mut self, node: &Node, path: &str, known: &[Property]) {
        let names: Vec<String> = known.iter().map(|known| known.name.to_owned()).collect();
        for Entry { key, value } in node.entries() {
            if !names.contains(key) {
                let hint = hint_for_unknown(key, &names);
                let field = join(path, key);
                self.fault(value.line, &field, format!("unknown property{hint}"));
            }
        }
    }

    /// Returns the valid ones of these properties of a map, and the defaults of the others.
    pub fn properties(
        &mut self,
        node: &Node,
        path: &str,
        properties: &[Property],
    ) -> Map<String, Value> {
        let mut values = Map::new();
        for property in properties {
            let field = join(path, property.name);
            let value = match node.get(property.name) {
                Some(value) => self.value(value, &field, property.shape),
                None if property.presence == Presence::Required => {
                    let what = property.shape.missing();
                    self.fault(node.line, &field, format!("missing, expected {what}"));
                    None
                }
                None => None,
            };
            if let Some(value) = value.or_else(|| property.default()) {
                values.insert(property.name.to_owned(), value);
            }
        }
        values
    }

    /// Returns a value if it is valid. Also returns `None` for [`Shape::Separate`], and for `false`
    /// in place of a map. Invalid entries of lists become empty, so that the indices of the others
    /// stay correct.
    pub fn value(&mut self, node: &Node, path: &str, shape: Shape) -> Option<Value> {
        match (shape, &node.content) {
            (Shape::Separate, _)
            | (Shape::FalseOrMap(_) | Shape::FlagOrMap(_), Content::Bool(false)) => None,
            (Shape::Options, Content::Map(_)) => Some(node.to_value()),
            (Shape::Text, Content::Text(text)) => Some(json!(text)),
            (Shape::Name, Content::Text(_)) => {
                let name = self.name(node, path, "a non-empty string");
                name.map(Value::String)
            }
            (Shape::Flag(_), Content::Bool(flag)) => Some(json!(flag)),
            (Shape::Count(_), Content::Number(number)) => {
                let max = u64::from(u32::MAX);
                let count = number.as_u64().filter(|count| (1..=max).contains(count));
                if count.is_none() {
                    let problem = format!("`{number}` is not a positive integer up to {max}");
                    self.fault(node.line, path, problem);
                }
                count.map(Value::from)
            }
            (Shape::Word(words), Content::Text(word)) => {
                let is_known = words.contains(&word.as_str());
                if !is_known {
                    let problem = format!("`{word}` is not {}", shape.expected());
                    self.fault(node.line, path, problem);
                }
                is_known.then(|| json!(word))
            }
            (Shape::Names, Content::List(items)) => {
                let items = (0..).zip(items);
                let names = items.map(|(at, item)| {
                    let name = self.name(item, &format!("{path}[{at}]"), "a name");
                    Value::String(name.unwrap_or_default())
                });
                Some(names.collect())
            }
            (Shape::Texts, Content::Map(entries)) => {
                let mut texts = Map::new();
                for Entry { key, value } in entries {
                    match &value.content {
                        Content::Text(text) => drop(texts.insert(key.clone(), json!(text))),
                        _ => self.expected(value, &join(path, key), "text (put it in quotes)"),
                    }
                }
                Some(Value::Object(texts))
            }
            (Shape::Maps(known), Content::List(items)) => {
                let items = (0..).zip(items);
                let maps = items.map(|(at, item)| {
                    let map = self.value(item, &format!("{path}[{at}]"), Shape::Map(known));
                    map.unwrap_or_else(|| defaults(known).into())
                });
                Some(maps.collect())
            }
            (
                Shape::Map(known) | Shape::FalseOrMap(known) | Shape::FlagOrMap(known),
                Content::Map(_),
            ) => {
                self.unknown(node, path, known);
                Some(self.properties(node, path, known).into())
            }
            (Shape::FlagOrMap(known), Content::Bool(true)) => Some(defaults(known).into()),
            _ => {
                self.expected(node, path, &shape.expected());
                None
            }
        }
    }

    /// Returns a non-blank string.
    pub fn name(&mut self, node: &Node, path: &str, what: &str) -> Option<String> {
        match &node.content {
            Content::Text(text) if !text.trim().is_empty() => return Some(text.clone()),
            Content::Text(_) => {
                self.fault(node.line, path, format!("is empty, expected {what}"));
            }
            _ => self.expected(node, path, what),
        }
        None
    }

    /// Converts checked values.
    pub fn convert<T: DeserializeOwned>(
        &mut self,
        node: &Node,
        path: &str,
        values: Map<String, Value>,
    ) -> Option<T> {
        match serde_json::from_value(Value::Object(values)) {
            Ok(value) => Some(value),
            Err(error) => {
                self.fault(node.line, path, error.to_string());
                None
            }
        }
    }
}

/// Returns the defaults of properties.
pub(super) fn defaults(properties: &[Property]) -> Map<String, Value> {
    let given = properties.iter().filter_map(|property| {
        let value = property.default()?;
        Some((property.name.to_owned(), value))
    });
    given.collect()
}
