//! Rows of CSV, with a header. Every value is a text, and an empty one counts as missing.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use csv::{Position, Reader, StringRecord};
use serde_json::Value;

use super::{At, Row, Visit, unusable};
use crate::DatasetError;

/// Reads a file. A row with more or fewer values than the header is malformed, and so is one that is not UTF-8.
pub fn scan(path: &Path, visit: &mut Visit) -> Result<(), DatasetError> {
    let (mut reader, header) = open(path)?;
    let mut record = StringRecord::new();
    loop {
        let at = reader.position().clone();
        let row = match reader.read_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) => fields(&header, &record),
            Err(error) if error.is_io_error() => return Err(unusable(path, error)),
            Err(error) => Err(error.to_string()),
        };
        // Blank lines before a record belong to its position, but not to its line.
        let line = record.position().map_or(at.line(), Position::line);
        visit(At::Csv(Box::new(at)), line, row)?;
    }
}

/// Reads the row at a place.
pub fn row(path: &Path, at: &Position) -> Result<Row, DatasetError> {
    let (mut reader, header) = open(path)?;
    let mut record = StringRecord::new();
    reader
        .seek(at.clone())
        .and_then(|()| reader.read_record(&mut record))
        .map_err(|error| unusable(path, error))?;
    fields(&header, &record).map_err(|problem| unusable(path, problem))
}

fn open(path: &Path) -> Result<(Reader<File>, StringRecord), DatasetError> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_path(path)
        .map_err(|error| unusable(path, error))?;
    let header = reader.headers().map_err(|error| unusable(path, error))?;
    let line = header.position().map_or(1, Position::line);
    let names = header.iter().enumerate().map(|(at, name)| match at {
        0 => name.trim_start_matches('\u{feff}').trim(),
        _ => name.trim(),
    });
    let header: StringRecord = names.collect();
    let mut seen = BTreeSet::new();
    // Spreadsheets write nameless columns for empty ones.
    let mut named = header.iter().filter(|name| !name.is_empty());
    match named.find(|name| !seen.insert(*name)) {
        Some(name) => Err(DatasetError::Row {
            place: format!("{}:{line}", path.display()),
            problem: format!("the header has the name `{name}` twice"),
        }),
        None => Ok((reader, header)),
    }
}

fn fields(header: &StringRecord, record: &StringRecord) -> Result<Row, String> {
    if record.len() != header.len() {
        return Err(format!(
            "has {} values, and the header has {} names",
            record.len(),
            header.len()
        ));
    }
    let value = |text: &str| match text {
        "" => Value::Null,
        text => Value::String(text.to_owned()),
    };
    let pairs = header.iter().zip(record.iter());
    Ok(pairs
        .map(|(name, text)| (name.to_owned(), value(text)))
        .collect())
}
