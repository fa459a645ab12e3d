//! Reads rows from CSV files with a header. Every value is a string; an empty value is read as
//! null.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use csv::{Position, Reader, StringRecord};
use serde_json::Value;

use super::position::{At, Visit};
use crate::DatasetError;
use crate::fields::Row;

/// Passes every row of a file to `visit`. A row is malformed if it is not UTF-8 or has more or
/// fewer values than the header.
pub fn scan(path: &Path, visit: &mut Visit) -> Result<(), DatasetError> {
    let (mut reader, header) = open(path)?;
    let mut lines = Lines::of(path).map_err(|error| DatasetError::unusable(path, error))?;
    let mut record = StringRecord::new();
    loop {
        let at = reader.position().clone();
        let row = match reader.read_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) => fields(&header, &record),
            Err(error) if error.is_io_error() => return Err(DatasetError::unusable(path, error)),
            Err(error) => Err(error.to_string()),
        };
        let line = lines.of_record(at.byte());
        let line = line.map_err(|error| DatasetError::unusable(path, error))?;
        visit(At::Csv(Box::new(at)), line, row)?;
    }
}

/// Reads the row at a position.
pub fn row(path: &Path, at: &Position) -> Result<Row, DatasetError> {
    let (mut reader, header) = open(path)?;
    let mut record = StringRecord::new();
    reader
        .seek(at.clone())
        .and_then(|()| reader.read_record(&mut record))
        .map_err(|error| DatasetError::unusable(path, error))?;
    fields(&header, &record).map_err(|problem| DatasetError::unusable(path, problem))
}

fn open(path: &Path) -> Result<(Reader<File>, StringRecord), DatasetError> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_path(path)
        .map_err(|error| DatasetError::unusable(path, error))?;
    let header = reader
        .headers()
        .map_err(|error| DatasetError::unusable(path, error))?;
    let line = header.position().map_or(1, Position::line);
    let names = header.iter().enumerate().map(|(at, name)| match at {
        0 => name.trim_start_matches('\u{feff}').trim(),
        _ => name.trim(),
    });
    let header: StringRecord = names.collect();
    let mut seen = BTreeSet::new();
    // Ignore empty names, which spreadsheets write for empty columns.
    let mut named = header.iter().filter(|name| !name.is_empty());
    match named.find(|name| !seen.insert(*name)) {
        Some(name) => Err(DatasetError::Unusable(format!(
            "{}:{line}: the header has the name `{name}` twice",
            path.display()
        ))),
        None => Ok((reader, header)),
    }
}

/// Counts lines as editors do. The line numbers of the CSV reader lag behind after blank lines and
/// after `\r\n`.
struct Lines {
    file: BufReader<File>,
    /// Number of bytes read.
    at: u64,
    /// Number of the current line, 1-based.
    line: u64,
    after_return: bool,
}

impl Lines {
    fn of(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: BufReader::new(File::open(path)?),
            at: 0,
            line: 1,
            after_return: false,
        })
    }

    /// Returns the number of the line on which the first record at or after `byte` begins. `byte`
    /// must not decrease between calls.
    fn of_record(&mut self, byte: u64) -> io::Result<u64> {
        loop {
            let ahead = self.file.fill_buf()?;
            let mut taken = 0;
            let mut is_found = ahead.is_empty();
            for &next in ahead {
                let ends_line = matches!(next, b'\r' | b'\n');
                if self.at >= byte && !ends_line {
                    is_found = true;
                    break;
                }
                self.line += u64::from(ends_line && !(self.after_return && next == b'\n'));
                self.after_return = next == b'\r';
                self.at += 1;
                taken += 1;
            }
            self.file.consume(taken);
            if is_found {
                return Ok(self.line);
            }
        }
    }
}

fn fields(header: &StringRecord, record: &StringRecord) -> Result<Row, String> {
    if record.len() != header.len() {
        let counted = |n: usize, what: &str| match n {
            1 => format!("1 {what}"),
            _ => format!("{n} {what}s"),
        };
        return Err(format!(
            "has {}, but the header has {}",
            counted(record.len(), "value"),
            counted(header.len(), "name")
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
