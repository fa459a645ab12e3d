//! What the page asks for: each address with the JSON that it gives.

use std::cmp::Ordering;

use serde::Serialize;
use serde_json::{Value, json};

use super::comparison::compare;
use super::error::ViewError;
use super::library::Library;
use super::overview;
use super::query::Query;
use super::run_file::RunFile;
use super::sample_list::{self, in_order, natural};
use super::trajectory::{agent_texts, iterations, text_part};

/// Iterations of a page at most.
const ITERATIONS: usize = 100;

/// Samples of a comparison's page at most.
const DIFFERING: usize = 500;

/// Characters of a record's texts that a page shows; trajectories have them in full.
const RECORD_TEXT: usize = 100_000;

/// The answer to a request for `/api/NAME?QUERY`, as JSON. None if there is no such name.
///
/// | name | parameters | gives |
/// |---|---|---|
/// | `runs` | | a row for each run |
/// | `run` | `run` | summary, settings, plots, attempts under way |
/// | `samples` | `run`, `filter`, `search`, `sort`, `descending`, `offset`, `limit` | a page of attempts |
/// | `attempt` | `run`, `sample`, `attempt` | record, agents with their timelines, neighbours |
/// | `agent` | …, `agent` | query, system prompt, answer |
/// | `iterations` | …, `agent`, `offset`, `limit` | a page of iterations with their events |
/// | `text` | …, `from`, `to` | a part of a long text |
/// | `compare` | `runs` (ids joined by `/`), `offset`, `limit` | differences |
/// | `stamp` | `run`, `sample`, `attempt`, all optional | a text that is equal while nothing changes |
///
/// # Errors
/// [`ViewError`] for what is not there, and for files that cannot be read.
pub fn answer(library: &Library, name: &str, query: &Query) -> Option<Result<String, ViewError>> {
    Some(match name {
        "runs" => runs(library),
        "run" => run(library, query),
        "samples" => samples(library, query),
        "attempt" => attempt(library, query),
        "agent" => agent(library, query),
        "iterations" => iteration_page(library, query),
        "text" => text(library, query),
        "compare" => comparison(library, query),
        "stamp" => stamp(library, query),
        _ => return None,
    })
}

fn runs(library: &Library) -> Result<String, ViewError> {
    let mut runs = library.runs()?;
    runs.sort_by(|a, b| natural(&a.0, &b.0));
    let rows: Vec<_> = runs
        .iter()
        .map(|(id, path)| library.overview(id, path))
        .collect();
    Ok(text_of(&json!({
        "folder": library.root(),
        "runs": rows,
        "stamp": library.stamp(None, None)?,
    })))
}

fn run(library: &Library, query: &Query) -> Result<String, ViewError> {
    let id = query.required("run")?;
    let stamp = library.stamp(Some(id), None)?;
    let mut page = overview::page(id, library.run(id)?.as_ref());
    page["stamp"] = stamp.into();
    Ok(text_of(&page))
}

fn samples(library: &Library, query: &Query) -> Result<String, ViewError> {
    let file = library.run(query.required("run")?)?;
    Ok(text_of(&sample_list::page(&file.run.records, query)?))
}

fn attempt(library: &Library, query: &Query) -> Result<String, ViewError> {
    let (id, sample, attempt) = which(query)?;
    let stamp = library.stamp(Some(id), Some((sample, attempt)))?;
    let file = library.run(id)?;
    let record = file.record(sample, attempt).map(shown_record);
    let trajectory = library.trajectory(&file, sample, attempt, |index, _, progress| {
        Ok((json!(index.agents()), progress))
    });
    let (agents, progress) = match trajectory {
        Ok((agents, progress)) => (agents, Some(progress)),
        // A record whose trajectory is gone still has something to show.
        Err(ViewError::NotFound { .. }) if record.is_some() => (json!([]), None),
        Err(error) => return Err(error),
    };
    Ok(text_of(&json!({
        "run": file.run.lock.run,
        "record": record,
        "agents": agents,
        "progress": progress,
        "neighbours": neighbours(&file, sample, attempt),
        "stamp": stamp,
    })))
}

fn agent(library: &Library, query: &Query) -> Result<String, ViewError> {
    let (id, sample, attempt) = which(query)?;
    let agent = query.required("agent")?;
    let texts = library.trajectory(&*library.run(id)?, sample, attempt, |index, path, _| {
        agent_texts(index, path, agent)
    })?;
    let (start, end) = texts.ok_or_else(|| ViewError::not_found("agent", agent))?;
    Ok(text_of(&json!({ "start": start, "end": end })))
}

fn iteration_page(library: &Library, query: &Query) -> Result<String, ViewError> {
    let (id, sample, attempt) = which(query)?;
    let agent = query.required("agent")?;
    let offset = query.number("offset", 0)?;
    let limit = query.number("limit", 20)?.min(ITERATIONS);
    let page = library.trajectory(&*library.run(id)?, sample, attempt, |index, path, _| {
        iterations(index, path, agent, offset, limit)
    })?;
    let (rows, total) = page.ok_or_else(|| ViewError::not_found("agent", agent))?;
    Ok(text_of(
        &json!({ "total": total, "offset": offset, "rows": rows }),
    ))
}

fn text(library: &Library, query: &Query) -> Result<String, ViewError> {
    let (id, sample, attempt) = which(query)?;
    let (from, to) = (query.number("from", 0)?, query.number("to", 0)?);
    let part = library.trajectory(&*library.run(id)?, sample, attempt, |index, path, _| {
        text_part(index, path, from, to)
    })?;
    let part = part.ok_or_else(|| ViewError::not_found("text", format!("{from}-{to}")))?;
    Ok(text_of(&part))
}

fn comparison(library: &Library, query: &Query) -> Result<String, ViewError> {
    let ids: Vec<&str> = query.required("runs")?.split('/').collect();
    let files = ids.iter().map(|id| library.run(id));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let named: Vec<(&str, &RunFile)> = ids
        .iter()
        .copied()
        .zip(files.iter().map(AsRef::as_ref))
        .collect();
    let offset = query.number("offset", 0)?;
    let limit = query.number("limit", 100)?.min(DIFFERING);
    Ok(text_of(&compare(&named, offset, limit)))
}

fn stamp(library: &Library, query: &Query) -> Result<String, ViewError> {
    let attempt = match query.get("sample") {
        None => None,
        Some(sample) => Some((sample, query.number("attempt", 1)?)),
    };
    let stamp = library.stamp(query.get("run"), attempt)?;
    Ok(text_of(&json!({ "stamp": stamp })))
}

/// Run, sample and attempt of a request.
fn which(query: &Query) -> Result<(&str, &str, u32), ViewError> {
    let run = query.required("run")?;
    let sample = query.required("sample")?;
    Ok((run, sample, query.number("attempt", 1)?))
}

/// A record with its texts cut where they are too long for a page.
fn shown_record(record: &records::AttemptRecord) -> Value {
    let mut record = json!(record);
    if let Some(fields) = record.as_object_mut() {
        for (_, value) in fields {
            match value {
                Value::String(text) => *text = sample_list::beginning(text, RECORD_TEXT),
                Value::Array(_) | Value::Object(_) => {
                    let text = value.to_string();
                    if text.len() > RECORD_TEXT {
                        *value = sample_list::beginning(&text, RECORD_TEXT).into();
                    }
                }
                _ => {}
            }
        }
    }
    record
}

/// The attempts before and after one, in the order in which a run's page lists them at first.
fn neighbours(file: &RunFile, sample: &str, attempt: u32) -> Value {
    let key = |id: &str, number: u32| json!({ "id": id, "attempt": number });
    let finished = file.run.records.iter();
    let under_way = file.under_way.iter();
    let all = finished
        .map(|record| (record.id.as_str(), record.attempt))
        .chain(under_way.map(|one| (one.id.as_str(), one.attempt)));
    // Without sorting: an export asks this of each attempt.
    let here = (sample, attempt);
    let (mut previous, mut next, mut before, mut of) = (None, None, 0, 0);
    let mut is_there = false;
    for one in all {
        of += 1;
        match in_order(one, here) {
            Ordering::Equal => is_there = true,
            Ordering::Less => {
                before += 1;
                let first = previous.is_none_or(|last| in_order(last, one).is_lt());
                previous = if first { Some(one) } else { previous };
            }
            Ordering::Greater => {
                let first = next.is_none_or(|last| in_order(one, last).is_lt());
                next = if first { Some(one) } else { next };
            }
        }
    }
    json!({
        "previous": previous.filter(|_| is_there).map(|one| key(one.0, one.1)),
        "next": next.filter(|_| is_there).map(|one| key(one.0, one.1)),
        "place": is_there.then_some(before + 1),
        "of": of,
    })
}

/// JSON of values whose keys are texts, which cannot fail.
fn text_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
