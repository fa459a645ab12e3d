//! Query templates, filled with the fields of a row.

use serde_json::Value;

use crate::fields::{Fault, Row, field};

/// Replaces each `<name>` in a template with the row's field of that name. Inserted values are not
/// expanded again, and text that cannot be a name is left unchanged.
///
/// # Errors
///
/// If the row lacks a named field.
pub fn filled(template: &str, row: &Row) -> Result<String, Fault> {
    let mut text = String::new();
    for piece in pieces(template) {
        match piece {
            Piece::Text(words) => text.push_str(words),
            Piece::Name(name) => text.push_str(&plain(field(row, name)?)),
        }
    }
    Ok(text)
}

/// Returns the field names in a template, in order.
pub fn names(template: &str) -> impl Iterator<Item = &str> {
    pieces(template)
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Name(name) => Some(name),
            Piece::Text(_) => None,
        })
}

enum Piece<'a> {
    /// Literal text.
    Text(&'a str),
    /// Name of the field to insert.
    Name(&'a str),
}

fn pieces(template: &str) -> Vec<Piece<'_>> {
    let is_of_name = |letter: char| letter.is_alphanumeric() || "_-. ".contains(letter);
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('<') {
        pieces.push(Piece::Text(before));
        match after.split_once('>') {
            Some((name, after)) if !name.is_empty() && name.chars().all(is_of_name) => {
                pieces.push(Piece::Name(name));
                rest = after;
            }
            _ => {
                pieces.push(Piece::Text("<"));
                rest = after;
            }
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// Returns a string unchanged, null as an empty string, and anything else as JSON.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
