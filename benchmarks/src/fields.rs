//! Fields of a row, and errors about them.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

/// Fields of a row, by name.
pub type Row = Map<String, Value>;

/// An invalid field: what is wrong with it, and what would be valid.
#[derive(Debug)]
pub struct Fault {
    field: String,
    problem: String,
}

impl Fault {
    /// Creates a fault. The problem is phrased to follow the field's name.
    pub fn new(field: &str, problem: impl Into<String>) -> Self {
        Self {
            field: field.to_owned(),
            problem: problem.into(),
        }
    }

    /// Appends to the problem.
    pub fn and(mut self, more: &str) -> Self {
        self.problem.push_str(more);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "field `{}` {}", self.field, self.problem)
    }
}

impl From<Fault> for String {
    fn from(fault: Fault) -> Self {
        fault.to_string()
    }
}

/// Returns a required field.
pub fn field<'a>(row: &'a Row, name: &str) -> Result<&'a Value, Fault> {
    match row.get(name) {
        Some(Value::Null) => Err(Fault::new(name, "has no value")),
        None => {
            let known: Vec<_> = row.keys().take(12).map(String::as_str).collect();
            Err(Fault::new(
                name,
                format!("is missing; the row has {}", known.join(", ")),
            ))
        }
        Some(value) => Ok(value),
    }
}

/// Returns a required string field.
pub fn text<'a>(row: &'a Row, name: &str) -> Result<&'a str, Fault> {
    let value = field(row, name)?;
    value
        .as_str()
        .ok_or_else(|| Fault::new(name, format!("is {}; expected a text", kind(value))))
}

/// Returns a required integer field, which is a string in CSV.
pub fn whole(row: &Row, name: &str) -> Result<i64, Fault> {
    let value = field(row, name)?;
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_i64(),
    };
    number.ok_or_else(|| Fault::new(name, format!("is {}; expected a whole number", kind(value))))
}

/// Returns a string or number field as a string.
pub fn label(row: &Row, name: &str) -> Result<String, Fault> {
    match field(row, name)? {
        Value::String(text) => Ok(text.trim().to_owned()),
        Value::Number(number) => Ok(number.to_string()),
        value => Err(Fault::new(
            name,
            format!("is {}; expected a text or a number", kind(value)),
        )),
    }
}

/// Returns the named fields, without those that the row lacks.
pub fn some(row: &Row, names: &[&str]) -> BTreeMap<String, Value> {
    let pair = |name: &&str| Some(((*name).to_owned(), row.get(*name)?.clone()));
    names.iter().filter_map(pair).collect()
}

/// Returns the strings of a field that contains one string or a list. The result is empty if the
/// field is missing or blank. In CSV, a list is JSON.
pub fn texts(row: &Row, name: &str) -> Result<Vec<String>, Fault> {
    let wrong = |what: &str| {
        Fault::new(
            name,
            format!("is {what}; expected a text or a list of texts"),
        )
    };
    let list = |items: &[Value]| {
        let one = |item: &Value| item.as_str().map(str::to_owned);
        let all: Option<Vec<String>> = items.iter().map(one).collect();
        all.ok_or_else(|| wrong("a list with an item that is not a text"))
    };
    match row.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Vec::new()),
        Some(Value::String(text)) if text.trim_start().starts_with('[') => {
            let items: Vec<Value> =
                serde_json::from_str(text).map_err(|_| wrong("not a JSON list"))?;
            list(&items)
        }
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(items)) => list(items),
        Some(value) => Err(wrong(kind(value))),
    }
}

/// Returns the type of a value in words.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
