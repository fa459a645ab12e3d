//! The server's JSON API: each name is an endpoint that returns one kind of response.

use std::collections::HashMap;
use std::sync::Arc;

use model::excerpt;
use serde::Serialize;
use serde_json::{Value, json};

use super::answer_match::Match;
use super::comparison::compare;
use super::error::ViewError;
use super::filter::{FailureGroups, Filter, FilteredAttempt};
use super::input;
use super::library::Library;
use super::neighbors;
use super::overview;
use super::query::Query;
use super::run_file::RunFile;
use super::runs_page;
use super::sample_list::{self, List};
use super::search::{Kind, SearchRequest};
use super::trajectory::{agent_texts, iterations, outline};

/// Maximum iterations in a response.
const ITERATIONS: usize = 100;

/// Maximum samples in the response to a comparison.
const DIFFERING: usize = 500;

/// Maximum hits in the response to a search.
const HITS: usize = 50;

/// Maximum characters of each text of a record in a response; longer texts are truncated, and the
/// trajectory has them in full.
const RECORD_TEXT: usize = 100_000;

/// Returns the JSON response to a request for `/api/NAME?QUERY`, or `None` for an unknown name.
///
/// | name | parameters | response |
/// |---|---|---|
/// | `runs` | `folder`, `filter`, `sort`, `descending`, `offset`, `limit` | a page of runs, and the folders that contain runs |
/// | `run` | `run` | summary, settings, plots, attempts in progress |
/// | `samples` | `run`, `filter`, `search`, `sort`, `descending`, `offset`, `limit` | a page of attempts |
/// | `search` | `q` (an expression), `run`, `in` (kinds of texts, separated by commas), `offset`, `limit` | texts that contain all words, and the progress of the index |
/// | `failures` | `run` | groups of failures, and the number of trajectories read so far |
/// | `attempt` | `run`, `sample`, `attempt`, `list` (the parameters of the list from which the attempt was opened) | record, agents with their timelines, neighbors |
/// | `input` | `run`, `sample`, `find` or `at`, both optional | the sample's input, or the reason why it is not available; positions of a text in the context |
/// | `outline` | `run`, `sample`, `attempt` | usage and result of each iteration of each agent |
/// | `agent` | …, `agent` | query, system prompt, answer |
/// | `iterations` | …, `agent`, `offset`, `limit` | a page of iterations with their events |
/// | `text` | …, `from`, `to` | a part of a long text |
/// | `compare` | `runs` (percent-encoded ids, joined by `/`), `offset`, `limit` | comparison of the runs |
/// | `stamp` | `run`, `sample`, `attempt`, all optional | a stamp that stays the same while nothing is written and no run stops |
///
/// `run`, `samples`, `search`, `failures`, `attempt` and `compare` also accept `scores`: the name
/// of a scorer that was applied later, or `recorded` for the run's own scores. The default is the
/// value of `--scores`.
///
/// # Errors
/// Returns [`ViewError`] if something does not exist or a file cannot be read.
pub fn answer(library: &Library, name: &str, query: &Query) -> Option<Result<String, ViewError>> {
    Some(match name {
        "runs" => runs(library, query),
        "run" => run(library, query),
        "samples" => samples(library, query),
        "search" => search_texts(library, query),
        "failures" => failures(library, query),
        "attempt" => attempt(library, query),
        "agent" => agent(library, query),
        "input" => input::page(library, query).map(|page| to_json(&page)),
        "outline" => outline_of(library, query),
        "iterations" => iteration_page(library, query),
        "text" => text(library, query),
        "compare" => comparison(library, query),
        "stamp" => stamp(library, query),
        _ => return None,
    })
}

fn runs(library: &Library, query: &Query) -> Result<String, ViewError> {
    Ok(to_json(&runs_page::page(library, query)?))
}

fn run(library: &Library, query: &Query) -> Result<String, ViewError> {
    let id = query.required("run")?;
    let stamp = library.stamp(Some(id), None)?;
    let mut page = overview::page(id, open(library, query, id)?.as_ref());
    page["stamp"] = stamp.into();
    Ok(to_json(&page))
}

fn samples(library: &Library, query: &Query) -> Result<String, ViewError> {
    let file = open(library, query, query.required("run")?)?;
    let list = list(library, &file, query)?;
    Ok(to_json(&sample_list::page(&list, query)?))
}

fn list<'a>(library: &Library, file: &'a RunFile, query: &Query) -> Result<List<'a>, ViewError> {
    let search = filter(query, "search")?;
    let marks = failure_groups(library, file, &search);
    List::of(file, search, marks, query)
}

fn failures(library: &Library, query: &Query) -> Result<String, ViewError> {
    let file = open(library, query, query.required("run")?)?;
    Ok(to_json(&library.failures(&file)))
}

/// Parses a parameter that contains a filter expression.
fn filter(query: &Query, name: &'static str) -> Result<Filter, ViewError> {
    Filter::parse(query.get(name).unwrap_or_default())
        .map_err(|problem| ViewError::parameter(name, problem))
}

fn search_texts(library: &Library, query: &Query) -> Result<String, ViewError> {
    let filter = filter(query, "q")?;
    let kinds = query.get("in").unwrap_or_default().split(',');
    let kinds = kinds.filter(|name| !name.is_empty()).map(|name| {
        let found = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| {
            let known = Kind::ALL.map(Kind::name).join(", ");
            ViewError::parameter("in", format!("unknown kind `{name}`; known: {known}"))
        })
    });
    let kinds = kinds.collect::<Result<Vec<_>, _>>()?;
    let index = library.refresh_texts()?;
    let asked = SearchRequest {
        words: &filter.words,
        kinds: &kinds,
        run: query.get("run"),
        offset: query.number("offset", 0)?,
        limit: query.number("limit", HITS)?.min(HITS),
    };
    // Runs are opened only if the filter tests fields of their records.
    let mut files: HashMap<String, Option<(Arc<RunFile>, FailureGroups)>> = HashMap::new();
    let passes = |run: &str, sample: &str, attempt: u32| {
        if filter.is_plain() {
            return true;
        }
        let file = files.entry(run.to_owned()).or_insert_with(|| {
            let file = open(library, query, run).ok()?;
            let marks = failure_groups(library, &file, &filter);
            Some((file, marks))
        });
        file.as_ref().is_some_and(|(file, marks)| {
            let record = file.record(sample, attempt);
            record.is_some_and(|record| {
                filter.passes(&FilteredAttempt::of(&file.run.lock.run, record, marks))
            })
        })
    };
    let found = library.search(&asked, passes)?;
    Ok(to_json(&json!({
        "hits": found.hits,
        "total": found.total,
        "more": found.more,
        "offset": asked.offset,
        "index": index,
    })))
}

/// Returns the failure groups of a run if the filter uses them.
fn failure_groups(library: &Library, file: &RunFile, filter: &Filter) -> FailureGroups {
    if filter.uses_groups() {
        library.failures(file).of
    } else {
        FailureGroups::default()
    }
}

fn attempt(library: &Library, query: &Query) -> Result<String, ViewError> {
    let (id, sample, attempt) = which(query)?;
    let stamp = library.stamp(Some(id), Some((sample, attempt)))?;
    let file = open(library, query, id)?;
    let found = file.record(sample, attempt);
    let expected = found.map(|record| Match::wanted(&record.expected));
    let trajectory = library.trajectory(&file, sample, attempt, |index, path, progress| {
        let mut agents = index.agents();
        for agent in &mut agents {
            agent.holds = index.answer_holds(path, agent.answer, expected.as_deref())?;
        }
        Ok((json!(agents), progress))
    });
    let others = file.run.records.iter().filter(|record| record.id == sample);
    let mut attempts: Vec<_> = others
        .map(|record| json!({ "attempt": record.attempt, "score": record.score, "status": record.status }))
        .collect();
    attempts.sort_by_key(|one| one["attempt"].as_u64());
    let record = found.map(serialize_record);
    let (agents, progress) = match trajectory {
        Ok((agents, progress)) => (agents, Some(progress)),
        // Without a trajectory, the record can still be shown.
        Err(ViewError::NotFound { .. }) if record.is_some() => (json!([]), None),
        Err(error) => return Err(error),
    };
    Ok(to_json(&json!({
        "run": file.run.lock.run,
        "record": record,
        "agents": agents,
        "progress": progress,
        "run_progress": file.progress_inputs.progress(),
        "attempts": attempts,
        "neighbours": neighbours(library, query, id, &file, (sample, attempt))?,
        "stamp": stamp,
    })))
}

/// Returns the attempts before and after an attempt in the list or comparison from which it was
/// opened. Otherwise, or if that does not contain the attempt, the order of the run is used.
fn neighbours(
    library: &Library,
    query: &Query,
    run: &str,
    file: &RunFile,
    here: (&str, u32),
) -> Result<Value, ViewError> {
    let found = match query.get("list").map(Query::new) {
        None => None,
        Some(comparison) if comparison.get("compare").is_some() => {
            let open = |id: &str| open(library, query, id);
            neighbors::in_comparison(open, run, here, &comparison)?
        }
        Some(parameters) => neighbors::in_list(&list(library, file, &parameters)?, here),
    };
    Ok(found.unwrap_or_else(|| neighbors::in_run(file, here)))
}

fn agent(library: &Library, query: &Query) -> Result<String, ViewError> {
    let (id, sample, attempt) = which(query)?;
    let agent = query.required("agent")?;
    let texts = library.trajectory(&*library.run(id)?, sample, attempt, |index, path, _| {
        agent_texts(index, path, agent)
    })?;
    let (start, end) = texts.ok_or_else(|| ViewError::not_found("agent", agent))?;
    Ok(to_json(&json!({ "start": start, "end": end })))
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
    Ok(to_json(
        &json!({ "total": total, "offset": offset, "rows": rows }),
    ))
}

fn text(library: &Library, query: &Query) -> Result<String, ViewError> {
    let (id, sample, attempt) = which(query)?;
    let (from, to) = (query.number("from", 0)?, query.number("to", 0)?);
    let part = library.trajectory(&*library.run(id)?, sample, attempt, |index, path, _| {
        index.text_part(path, from, to)
    })?;
    let part = part.ok_or_else(|| ViewError::not_found("text", format!("{from}-{to}")))?;
    Ok(to_json(&part))
}

fn outline_of(library: &Library, query: &Query) -> Result<String, ViewError> {
    let (id, sample, attempt) = which(query)?;
    let shown = library.trajectory(&*library.run(id)?, sample, attempt, |index, path, _| {
        Ok(json!(outline(index, path)?))
    })?;
    Ok(to_json(&json!({ "agents": shown })))
}

fn comparison(library: &Library, query: &Query) -> Result<String, ViewError> {
    let ids = query.ids("runs")?;
    let files = ids.iter().map(|id| open(library, query, id));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let named: Vec<(&str, &RunFile)> = ids
        .iter()
        .map(String::as_str)
        .zip(files.iter().map(AsRef::as_ref))
        .collect();
    let offset = query.number("offset", 0)?;
    let limit = query.number("limit", 100)?.min(DIFFERING);
    Ok(to_json(&compare(&named, offset, limit)))
}

fn stamp(library: &Library, query: &Query) -> Result<String, ViewError> {
    let attempt = match query.get("sample") {
        None => None,
        Some(sample) => Some((sample, query.number("attempt", 1)?)),
    };
    let stamp = library.stamp(query.get("run"), attempt)?;
    Ok(to_json(&json!({ "stamp": stamp })))
}

/// Opens a run with the scores that the parameter `scores` selects.
fn open(library: &Library, query: &Query, id: &str) -> Result<Arc<RunFile>, ViewError> {
    library.run_scored_by(id, query.get("scores"))
}

/// Returns the parameters `run`, `sample` and `attempt`; the default attempt is 1.
fn which(query: &Query) -> Result<(&str, &str, u32), ViewError> {
    let run = query.required("run")?;
    let sample = query.required("sample")?;
    Ok((run, sample, query.number("attempt", 1)?))
}

/// Serializes a record; truncates long texts, and lists and objects with long JSON.
fn serialize_record(record: &records::AttemptRecord) -> Value {
    let mut record = json!(record);
    if let Some(fields) = record.as_object_mut() {
        for (_, value) in fields {
            match value {
                Value::String(text) => *text = excerpt(text, RECORD_TEXT),
                Value::Array(_) | Value::Object(_) => {
                    let text = value.to_string();
                    if text.len() > RECORD_TEXT {
                        *value = excerpt(&text, RECORD_TEXT).into();
                    }
                }
                _ => {}
            }
        }
    }
    record
}

/// Serializes a value as JSON. This cannot fail, because all keys are strings.
fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
