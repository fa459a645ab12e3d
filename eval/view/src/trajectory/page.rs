//! Parts of a trajectory to show on a page: iterations of an agent, or its prompt and answer.

use std::fs::File;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::file_parts::{LineLocation, event};
use super::index::Index;

/// Maximum bytes of a string on a page; the rest is read on request.
const SHOWN: usize = 8_000;

/// Maximum bytes of a prompt, query or answer shown initially; higher than [`SHOWN`], because
/// prompts are usually read in full.
const SHOWN_WHOLE: usize = 200_000;

/// One iteration of an agent.
#[derive(Debug, Serialize)]
pub struct Iteration {
    /// Number of the iteration, 1-based.
    pub number: u64,
    /// Events in order: `at_ms` and `kind`, with long strings truncated.
    pub events: Vec<Value>,
}

/// Returns the requested iterations of an agent and their total number, or `None` for an unknown
/// agent.
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
