//! Parts of a trajectory to show on a page: iterations of an agent, its prompt and answer, or a
//! part of a long text.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use records::trajectory::{boundary, cut_strings};
use serde::Serialize;
use serde_json::Value;

use super::index::{Index, LineLocation};

/// Maximum bytes of a string on a page; the rest is read on request.
pub(super) const SHOWN: usize = 8_000;

/// Maximum bytes of a prompt, query or answer shown initially; higher than [`SHOWN`], because
/// prompts are usually read in full.
const SHOWN_WHOLE: usize = 200_000;

/// Maximum bytes of a long text in a single response.
const PART: u64 = 2_000_000;

/// One iteration of an agent.
#[derive(Debug, Serialize)]
pub struct Iteration {
    /// Number of the iteration, 1-based.
    pub number: u64,
    /// Events in order: `at_ms` and `kind`, with long strings truncated.
    pub events: Vec<Value>,
}

/// Part of a truncated text.
#[derive(Debug, Serialize)]
pub struct TextPart {
    pub text: String,
    /// Byte offset in the file at which the remaining text begins, if any.
    pub next: Option<u64>,
}

/// Returns the requested iterations of an agent and their total number, or `None` for an unknown
/// agent.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn iterations(
    index: &Index,
    path: &Path,
    agent: &str,
    offset: usize,
    limit: usize,
) -> io::Result<Option<(Vec<Iteration>, usize)>> {
    let Some(places) = index.agent(agent) else {
        return Ok(None);
    };
    let mut file = File::open(path)?;
    let page = places.iterations.iter().skip(offset).take(limit);
    let page = page.map(|iteration| {
        let events = iteration.events.iter();
        let events = events.map(|place| event(&mut file, *place, SHOWN));
        Ok(Iteration {
            number: iteration.number,
            events: events.collect::<io::Result<_>>()?,
        })
    });
    Ok(Some((
        page.collect::<io::Result<_>>()?,
        places.iterations.len(),
    )))
}

/// Returns the events at the start (query, system prompt) and the end (answer, error) of an agent;
/// each is `null` if it does not exist yet.
///
/// Returns `None` if the agent is unknown.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn agent_texts(index: &Index, path: &Path, agent: &str) -> io::Result<Option<(Value, Value)>> {
    let Some(places) = index.agent(agent) else {
        return Ok(None);
    };
    let mut file = File::open(path)?;
    let mut read = |place: Option<LineLocation>| match place {
        None => Ok(Value::Null),
        Some(place) => event(&mut file, place, SHOWN_WHOLE).map(|mut event| event["kind"].take()),
    };
    Ok(Some((read(places.start)?, read(places.end)?)))
}

/// Returns the string whose JSON occupies the bytes from `from` to `to`, or its first part if it is
/// long.
///
/// Returns `None` if the bytes are not indexed or not part of a string.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn text_part(index: &Index, path: &Path, from: u64, to: u64) -> io::Result<Option<TextPart>> {
    if !index.holds(from, to) {
        return Ok(None);
    }
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
