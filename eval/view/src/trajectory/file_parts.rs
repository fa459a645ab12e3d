//! Reads parts of a trajectory file by byte offset: an event, or a part of a long text.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use records::trajectory::{boundary, cut_strings};
use serde::Serialize;
use serde_json::Value;

/// Maximum bytes of a long text in a single response.
const PART: u64 = 2_000_000;

/// Location of a line in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LineLocation {
    pub(super) offset: u64,
    pub(super) length: usize,
}

/// Part of a truncated text.
#[derive(Debug, Serialize)]
pub struct TextPart {
    pub text: String,
    /// Byte offset in the file at which the remaining text begins, if any.
    pub next: Option<u64>,
}

/// Reads the event on a line, with strings truncated to `limit` bytes.
pub(super) fn event(file: &mut File, place: LineLocation, limit: usize) -> io::Result<Value> {
    file.seek(SeekFrom::Start(place.offset))?;
    let mut line = vec![0; place.length];
    file.read_exact(&mut line)?;
    let mut event: Value = serde_json::from_slice(&cut_strings(&line, place.offset, limit))?;
    let mut shown = serde_json::Map::new();
    for field in ["at_ms", "kind"] {
        shown.insert(field.to_owned(), event[field].take());
    }
    Ok(Value::Object(shown))
}

/// Returns the string whose JSON occupies the bytes from `from` to `to`, or its first part if it is
/// long.
///
/// Returns `None` if the bytes are not part of a string. `from` must not exceed `to`.
pub(super) fn text_part(path: &Path, from: u64, to: u64) -> io::Result<Option<TextPart>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut content = vec![b'"'];
    // Read a few more bytes, so that the last character of the part is complete.
    file.take((to - from).min(PART + 16))
        .read_to_end(&mut content)?;
    let length = boundary(&content[1..], usize::try_from(PART).unwrap_or(usize::MAX));
    content.truncate(1 + length);
    content.push(b'"');
    let end = from + length as u64;
    let Ok(text) = serde_json::from_slice(&content) else {
        return Ok(None);
    };
    let next = (end < to && length > 0).then_some(end);
    Ok(Some(TextPart { text, next }))
}
