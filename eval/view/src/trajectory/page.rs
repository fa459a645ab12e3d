//! What a page shows of a trajectory: some iterations of an agent, its prompt and its answer, a part of a long text.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use records::trajectory::{boundary, cut_strings};
use serde::Serialize;
use serde_json::Value;

use super::index::{Index, Place};

/// Bytes of a string that a page shows; more is read on demand.
pub(super) const SHOWN: usize = 8_000;

/// Bytes of a prompt, a query or an answer that are shown at once: prompts are read as a whole.
const SHOWN_WHOLE: usize = 200_000;

/// Bytes of a long text in one answer.
const PART: u64 = 2_000_000;

/// One iteration of an agent.
#[derive(Debug, Serialize)]
pub struct Iteration {
    /// 1-based.
    pub number: u64,
    /// Its events in order: `at_ms` and `kind`, long strings cut.
    pub events: Vec<Value>,
}

/// A part of a text that was cut.
#[derive(Debug, Serialize)]
pub struct TextPart {
    /// The text.
    pub text: String,
    /// Where the rest begins; none if there is none.
    pub next: Option<u64>,
}

/// Some iterations of an agent, and how many it has. `None` if there is no such agent.
///
/// # Errors
/// The file cannot be read.
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

/// How an agent began (query, system prompt) and how it ended (answer, error), each `null` if it did not.
///
/// `None` if there is no such agent.
///
/// # Errors
/// The file cannot be read.
pub fn agent_texts(index: &Index, path: &Path, agent: &str) -> io::Result<Option<(Value, Value)>> {
    let Some(places) = index.agent(agent) else {
        return Ok(None);
    };
    let mut file = File::open(path)?;
    let mut read = |place: Option<Place>| match place {
        None => Ok(Value::Null),
        Some(place) => event(&mut file, place, SHOWN_WHOLE).map(|mut event| event["kind"].take()),
    };
    Ok(Some((read(places.start)?, read(places.end)?)))
}

/// The text whose JSON stands in the bytes from `from` to `to`, or its beginning where it is long.
///
/// `None` if that is not part of a string, or not indexed.
///
/// # Errors
/// The file cannot be read.
pub fn text_part(index: &Index, path: &Path, from: u64, to: u64) -> io::Result<Option<TextPart>> {
    if !index.holds(from, to) {
        return Ok(None);
    }
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut content = vec![b'"'];
    // A few bytes more than a part, so that its last character is there as a whole.
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

pub(super) fn event(file: &mut File, place: Place, limit: usize) -> io::Result<Value> {
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
