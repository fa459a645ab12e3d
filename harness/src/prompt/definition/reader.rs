//! Reads properties from a tree of values and collects all faults.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::fault::{Fault, SourceLocation};
use super::properties::Source;
use super::tree::{Content, Node};
use crate::text::{did_you_mean, nearest};

/// State while reading one file, with the faults found so far.
pub(super) struct Reader<'a> {
    source: &'a Source,
    pub faults: Vec<Fault>,
    /// Line numbers of the values read so far, by property.
    pub lines: BTreeMap<String, u64>,
}

/// Properties of a map.
pub(super) struct Fields<'n> {
    /// Full name of the property whose value is this map; empty for the top-level map.
    path: String,
    line: Option<u64>,
    entries: BTreeMap<&'n str, &'n Node>,
}

impl<'n> Fields<'n> {
    /// Returns the full name of a property of the map.
    pub fn path(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    pub fn get(&self, name: &str) -> Option<&'n Node> {
        self.entries.get(name).copied()
    }

    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.entries.contains_key(name))
    }
}

impl<'a> Reader<'a> {
    pub const fn new(source: &'a Source) -> Self {
        Self {
            source,
            faults: Vec::new(),
            lines: BTreeMap::new(),
        }
    }

    pub fn fault(&mut self, line: Option<u64>, field: &str, problem: impl Into<String>) {
        self.faults.push(Fault {
            place: SourceLocation {
                file: self.source.to_string(),
                line,
                field: field.to_owned(),
            },
            problem: problem.into(),
            includes: Vec::new(),
        });
    }

    fn expected(&mut self, node: &Node, field: &str, what: &str) {
        let kind = node.kind();
        self.fault(node.line, field, format!("expected {what}, found {kind}"));
    }

    /// Reads the properties of a map. A property that is not `known` is a fault.
    pub fn fields<'n>(&mut self, node: &'n Node, path: &str, known: &[&str]) -> Option<Fields<'n>> {
        let Content::Map(entries) = &node.content else {
            self.expected(node, path, "a map of properties");
            return None;
        };
        let mut fields = Fields {
            path: path.to_owned(),
            line: node.line,
            entries: BTreeMap::new(),
        };
        for entry in entries {
            let (key, line) = (entry.key.as_str(), entry.value.line);
            let full = fields.path(key);
            if let Some(line) = line {
                self.lines.insert(full.clone(), line);
            }
            if known.contains(&key) {
                fields.entries.insert(key, &entry.value);
            } else {
                let names: Vec<String> = known.iter().map(|&name| name.to_owned()).collect();
                let near = nearest(key, known.iter().copied());
                let hint = did_you_mean(near.as_deref(), &names);
                self.fault(line, &full, format!("unknown property{hint}"));
            }
        }
        Some(fields)
    }

    /// Reports a missing required property.
    pub fn missing(&mut self, fields: &Fields<'_>, name: &str, what: &str) {
        let path = fields.path(name);
        self.fault(fields.line, &path, format!("missing, expected {what}"));
    }

    /// Reads an optional string, which may be blank.
    pub fn text(&mut self, fields: &Fields<'_>, name: &str) -> Option<String> {
        let node = fields.get(name)?;
        if let Content::Text(text) = &node.content {
            return Some(text.clone());
        }
        self.expected(node, &fields.path(name), "text");
        None
    }

    /// Reads an optional non-blank string.
    pub fn name(&mut self, fields: &Fields<'_>, name: &str) -> Option<String> {
        let text = self.text(fields, name)?;
        if text.trim().is_empty() {
            let line = fields.get(name).and_then(|node| node.line);
            self.fault(
                line,
                &fields.path(name),
                "is empty, expected a non-empty string",
            );
            return None;
        }
        Some(text)
    }

    /// Reads a required non-blank string.
    pub fn required_name(&mut self, fields: &Fields<'_>, name: &str) -> Option<String> {
        if fields.get(name).is_none() {
            self.missing(fields, name, "a non-empty string");
        }
        self.name(fields, name)
    }

    pub fn flag(&mut self, fields: &Fields<'_>, name: &str, default: bool) -> bool {
        let Some(node) = fields.get(name) else {
            return default;
        };
        if let Content::Bool(value) = node.content {
            return value;
        }
        self.expected(node, &fields.path(name), "`true` or `false`");
        default
    }

    /// Reads a positive integer.
    pub fn count(&mut self, fields: &Fields<'_>, name: &str) -> Option<NonZeroU32> {
        let node = fields.get(name)?;
        let field = fields.path(name);
        let Content::Number(number) = &node.content else {
            self.expected(node, &field, "a positive integer");
            return None;
        };
        let count = number.as_u64().and_then(|count| u32::try_from(count).ok());
        let count = count.and_then(NonZeroU32::new);
        if count.is_none() {
            let problem = format!("`{number}` is not a positive integer up to {}", u32::MAX);
            self.fault(node.line, &field, problem);
        }
        count
    }

    /// Reads an optional word that must be one of `words`.
    pub fn word<T: Copy>(
        &mut self,
        fields: &Fields<'_>,
        name: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let node = fields.get(name)?;
        let field = fields.path(name);
        let Content::Text(given) = &node.content else {
            let what = one_of(words);
            self.expected(node, &field, &what);
            return None;
        };
        let found = words.iter().find(|(word, _)| word == given);
        if found.is_none() {
            let problem = format!("`{given}` is not {}", one_of(words));
            self.fault(node.line, &field, problem);
        }
        found.map(|(_, value)| *value)
    }

    /// Reads the entries of a list, each with its full property name.
    pub fn list<'n>(&mut self, fields: &Fields<'n>, name: &str) -> Option<Vec<(String, &'n Node)>> {
        let node = fields.get(name)?;
        let field = fields.path(name);
        let Content::List(items) = &node.content else {
            self.expected(node, &field, "a list");
            return None;
        };
        let mut entries = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let path = format!("{field}[{at}]");
            if let Some(line) = item.line {
                self.lines.insert(path.clone(), line);
            }
            entries.push((path, item));
        }
        Some(entries)
    }

    /// Reads a list of non-blank strings. Replaces invalid entries with empty strings, so that the
    /// indices of the other entries stay correct.
    pub fn names(&mut self, fields: &Fields<'_>, name: &str) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for (path, item) in self.list(fields, name)? {
            let mut name = String::new();
            match &item.content {
                Content::Text(text) if !text.trim().is_empty() => name.clone_from(text),
                Content::Text(_) => self.fault(item.line, &path, "is empty, expected a name"),
                _ => self.expected(item, &path, "a name"),
            }
            names.push(name);
        }
        Some(names)
    }

    /// Reads a map of strings.
    pub fn texts(&mut self, fields: &Fields<'_>, name: &str) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        let Some(node) = fields.get(name) else {
            return texts;
        };
        let field = fields.path(name);
        let Content::Map(entries) = &node.content else {
            self.expected(node, &field, "a map of texts");
            return texts;
        };
        for entry in entries {
            let path = format!("{field}.{}", entry.key);
            if let Some(line) = entry.value.line {
                self.lines.insert(path.clone(), line);
            }
            match &entry.value.content {
                Content::Text(text) => drop(texts.insert(entry.key.clone(), text.clone())),
                _ => self.expected(&entry.value, &path, "text (put it in quotes)"),
            }
        }
        texts
    }
}

fn one_of<T>(words: &[(&str, T)]) -> String {
    let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
    format!("one of {}", words.join(", "))
}
