//! Reads rows from JSON files with one object per line or a single list of objects.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use model::lenient_json;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::position::{At, Visit};
use crate::DatasetError;
use crate::decimal::exact_value;
use crate::fields::{Row, kind};

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads a file with one object per line. Blank lines are skipped, and lines may end in CRLF.
pub fn scan_lines(path: &Path, visit: &mut Visit) -> Result<(), DatasetError> {
    let mut reader = open(path)?;
    let mut line = Vec::new();
    let (mut start, mut number) = (0_u64, 0);
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line);
        let count = read.map_err(DatasetError::cannot_read(path))?;
        if count == 0 {
            return Ok(());
        }
        number += 1;
        let (skipped, text) = match line.strip_prefix(BYTE_ORDER_MARK) {
            Some(text) if number == 1 => (BYTE_ORDER_MARK.len(), text),
            _ => (0, line.as_slice()),
        };
        if !text.trim_ascii().is_empty() {
            let at = At::Bytes(start + skipped as u64, text.len());
            visit(at, number, object(text))?;
        }
        start += count as u64;
    }
}

/// Reads a file that is one list of objects, one object at a time.
pub fn scan_list(path: &Path, visit: &mut Visit) -> Result<(), DatasetError> {
    let wrong = |line: u64, problem: &str| {
        let wanted = "expected one list of objects: [{…}, {…}]";
        DatasetError::unusable(path, format!("line {line}: {problem}; {wanted}"))
    };
    let mut bytes = open(path)?.bytes();
    let mut item = Vec::new();
    let (mut at, mut line, mut item_line) = (0_u64, 1, 1);
    let (mut is_open, mut is_closed) = (false, false);
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    while let Some(byte) = bytes
        .next()
        .transpose()
        .map_err(DatasetError::cannot_read(path))?
    {
        at += 1;
        line += u64::from(byte == b'\n');
        if depth == 0 {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {}
                byte if at <= 3 && BYTE_ORDER_MARK.contains(&byte) => {}
                b'[' if !is_open => is_open = true,
                b',' if is_open && !is_closed => {}
                b']' if is_open && !is_closed => is_closed = true,
                b'{' if is_open && !is_closed => {
                    depth = 1;
                    item_line = line;
                    item.clear();
                    item.push(byte);
                }
                _ => return Err(wrong(line, "this is not an object in a list")),
            }
            continue;
        }
        item.push(byte);
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    let place = At::Bytes(at - item.len() as u64, item.len());
                    visit(place, item_line, object(&item))?;
                }
            }
            _ => {}
        }
    }
    if is_closed {
        Ok(())
    } else {
        Err(wrong(line, "the list has no closing bracket"))
    }
}

/// Reads the object at a position.
pub fn row(path: &Path, start: u64, length: usize) -> Result<Row, DatasetError> {
    let mut reader = open(path)?;
    let mut bytes = vec![0; length];
    let read = reader
        .seek(SeekFrom::Start(start))
        .and_then(|_| reader.read_exact(&mut bytes));
    read.map_err(DatasetError::cannot_read(path))?;
    object(&bytes).map_err(|problem| DatasetError::unusable(path, problem))
}

fn object(bytes: &[u8]) -> Result<Row, String> {
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    // `lenient_json` replaces unpaired surrogates, which JavaScript may write, with U+FFFD.
    let row = if is_object {
        lenient_json::from_slice(bytes).map(|Fields(row)| Value::Object(row))
    } else {
        lenient_json::from_slice(bytes)
    };
    match row {
        Ok(Value::Object(row)) => Ok(row),
        Ok(other) => Err(format!("is {}; expected a JSON object", kind(&other))),
        // The caller reports the row's line, so syntax errors keep only the column.
        Err(error) => {
            let problem = error.to_string();
            Err(match (error.classify(), problem.rsplit_once(" at line ")) {
                (Category::Data, Some((problem, _))) => problem.to_owned(),
                _ => format!(
                    "not JSON: {}",
                    problem.replace(" at line 1 column", " at column")
                ),
            })
        }
    }
}

/// An object without duplicate names; serde's map would silently keep only the last value. A field
/// with a number that [`Value`] cannot represent exactly becomes a string with the field's JSON.
struct Fields(Row);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Distinct;

        impl<'de> Visitor<'de> for Distinct {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Fields, A::Error> {
                let mut row = Row::new();
                while let Some(name) = fields.next_key::<String>()? {
                    if row.contains_key(&name) {
                        return Err(A::Error::custom(format!("has the field `{name}` twice")));
                    }
                    let value: &RawValue = fields.next_value()?;
                    row.insert(name, exact_value(value.get()).map_err(A::Error::custom)?);
                }
                Ok(Fields(row))
            }
        }

        deserializer.deserialize_map(Distinct)
    }
}

fn open(path: &Path) -> Result<BufReader<File>, DatasetError> {
    let file = File::open(path).map_err(DatasetError::cannot_read(path))?;
    Ok(BufReader::with_capacity(1 << 16, file))
}
