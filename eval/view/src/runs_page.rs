//! The endpoint `runs`: a page of the table of runs, and the subfolders that contain runs, such as
//! sweeps with their cells.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::thread;

use serde::Serialize;
use serde_json::{Value, json};

use super::error::ViewError;
use super::find_runs::{FoundRuns, MOST_FOLDERS};
use super::library::Library;
use super::overview::Overview;
use super::query::Query;
use super::sample_list::natural;

/// Maximum rows on a page.
const PAGE: usize = 100;

/// Maximum cells in the matrix of a sweep.
const MATRIX: usize = 400;

/// Maximum bytes of a sweep's plan; larger plans are ignored.
const PLAN: u64 = 1 << 24;

/// A folder that contains runs, such as a sweep.
#[derive(Debug, Serialize)]
struct Group {
    /// Path relative to the shown folder.
    id: String,
    /// Whether the folder contains the plan of a sweep.
    is_sweep: bool,
    runs: usize,
    /// Start time of the most recent run.
    started_at: Option<String>,
    /// Id and score of the run with the best score.
    best: Option<(String, f64)>,
    /// Names of the planned cells that have not begun.
    not_begun: Vec<String>,
}

/// Returns the requested page. The parameter `filter` contains words that must all occur in a run's
/// texts, and `folder` is the subfolder whose runs are shown. Without both, the page shows the runs
/// directly in the displayed folder.
///
/// # Errors
/// Returns [`ViewError`] if the folder cannot be read or a parameter is invalid.
pub fn page(library: &Library, query: &Query) -> Result<Value, ViewError> {
    let FoundRuns { runs, stopped } = library.found()?;
    let folder = query.get("folder").unwrap_or_default();
    let filter = query.get("filter").unwrap_or_default().to_lowercase();
    let words: Vec<&str> = filter.split_whitespace().collect();
    let rows = overviews(library, &runs);
    let total = rows.len();
    let groups = groups(library, &rows);
    if !folder.is_empty() && !groups.iter().any(|group| group.id == folder) {
        return Err(ViewError::not_found("folder", folder));
    }
    let is_listed = |row: &&Overview| {
        let parent = parent(&row.id);
        let here = match folder {
            "" => words.is_empty() <= parent.is_empty(),
            _ => parent == folder,
        };
        here && {
            let text = text(row);
            words.iter().all(|word| text.contains(word))
        }
    };
    let mut found: Vec<&Overview> = rows.iter().filter(is_listed).collect();
    let column = query.get("sort").unwrap_or("started");
    let descending = query.get("descending") != Some("0");
    found.sort_by(|a, b| {
        let order = order(column, a, b);
        let order = if descending { order.reverse() } else { order };
        order.then_with(|| natural(&a.id, &b.id))
    });
    let matrix = (!folder.is_empty()).then(|| {
        let mut cells: Vec<&Overview> = rows
            .iter()
            .filter(|row| parent(&row.id) == folder)
            .collect();
        cells.sort_by(|a, b| natural(&a.id, &b.id));
        cells.truncate(MATRIX);
        cells.into_iter().map(cell).collect::<Vec<Value>>()
    });
    let offset = query.number("offset", 0)?;
    let limit = query.number("limit", PAGE)?.min(PAGE);
    let shown: Vec<_> = found.iter().skip(offset).take(limit).collect();
    let shown_groups: Vec<&Group> = groups
        .iter()
        .filter(|group| {
            if folder.is_empty() {
                words
                    .iter()
                    .all(|word| group.id.to_lowercase().contains(word))
            } else {
                group.id == folder
            }
        })
        .collect();
    Ok(json!({
        "folder": library.root,
        "groups": shown_groups,
        "matrix": matrix,
        "runs": shown,
        "total": total,
        "matching": found.len(),
        "offset": offset,
        "not_searched": stopped.then_some(MOST_FOLDERS),
        "stamp": library.stamp(None, None)?,
    }))
}

/// Returns the rows of all runs. Rows that are not cached are read concurrently, with one thread
/// per processor.
fn overviews(library: &Library, runs: &[(String, PathBuf)]) -> Vec<Overview> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = runs.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let read = |runs: &[(String, PathBuf)]| -> Vec<Overview> {
            runs.iter()
                .map(|(id, path)| library.overview(id, path))
                .collect()
        };
        let working: Vec<_> = runs
            .chunks(share)
            .map(|runs| (runs, scope.spawn(move || read(runs))))
            .collect();
        // A thread panics only if a run's files trigger a bug. This thread then reads that thread's
        // runs again.
        working
            .into_iter()
            .flat_map(|(runs, thread)| thread.join().unwrap_or_else(|_| read(runs)))
            .collect()
    })
}

/// Returns the parent folder of a run, given its id; empty for runs directly in the displayed
/// folder.
fn parent(id: &str) -> &str {
    id.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn groups(library: &Library, rows: &[Overview]) -> Vec<Group> {
    let mut folders: BTreeMap<&str, Vec<&Overview>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !parent(&row.id).is_empty()) {
        folders.entry(parent(&row.id)).or_default().push(row);
    }
    let groups = folders.into_iter().map(|(id, rows)| {
        let planned = planned(library, id);
        let begun: BTreeSet<&str> = rows
            .iter()
            .filter_map(|row| row.id.rsplit('/').next())
            .collect();
        let scored = rows.iter().filter_map(|row| Some((row, score(row)?)));
        let best = scored.max_by(|(_, a), (_, b)| a.total_cmp(b));
        Group {
            id: id.to_owned(),
            is_sweep: planned.is_some(),
            runs: rows.len(),
            started_at: rows.iter().filter_map(|row| row.started_at.clone()).max(),
            best: best.map(|(row, score)| (row.id.clone(), score)),
            not_begun: planned
                .unwrap_or_default()
                .into_iter()
                .filter(|name| !begun.contains(name.as_str()))
                .collect(),
        }
    });
    let mut groups: Vec<Group> = groups.collect();
    groups.sort_by(|a, b| {
        b.started_at
            .cmp(&a.started_at)
            .then_with(|| natural(&a.id, &b.id))
    });
    groups
}

/// Returns the names of the planned cells of the sweep in a folder, or `None` if there is no
/// readable plan.
fn planned(library: &Library, folder: &str) -> Option<Vec<String>> {
    let path = library.root.join(folder).join("sweep.json");
    let file = fs::symlink_metadata(&path).ok()?;
    // Symbolic links are not followed, because they may lead out of the folder.
    if !file.is_file() || file.len() > PLAN {
        return None;
    }
    let plan: Value = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
    let cells = plan["cells"].as_array()?.iter();
    Some(
        cells
            .filter_map(|cell| Some(cell["name"].as_str()?.to_owned()))
            .collect(),
    )
}

/// Returns a run as a cell of its sweep's matrix.
fn cell(row: &Overview) -> Value {
    json!({
        "id": row.id,
        "run": row.run,
        "score": row.summary.as_ref().and_then(|summary| summary.score.as_ref()),
        "cost_usd": row.summary.as_ref().and_then(|summary| summary.cost_usd),
        "cost_unknown": row.summary.as_ref().map(|summary| summary.cost_unknown),
        "progress": row.progress,
        "problem": row.problem,
    })
}

/// Returns the lowercase text that a filter searches.
fn text(row: &Overview) -> String {
    let mut text = row.id.clone();
    if let Some(run) = &row.run {
        let parts = [
            Some(&run.model),
            Some(&run.benchmark),
            Some(&run.protocol),
            run.prompt_mode.as_ref(),
            run.drivers.as_ref(),
        ];
        for part in parts.into_iter().flatten() {
            text.push(' ');
            text.push_str(part);
        }
    }
    if let Some(progress) = row.progress {
        text.push(' ');
        text.push_str(progress.as_str());
    }
    text.to_lowercase()
}

fn score(row: &Overview) -> Option<f64> {
    Some(row.summary.as_ref()?.score.as_ref()?.mean)
}

/// Compares two runs by a column. Unknown values sort first.
fn order(column: &str, a: &Overview, b: &Overview) -> Ordering {
    let number = |of: &dyn Fn(&Overview) -> Option<f64>| {
        let rank = |row| of(row).unwrap_or(f64::NEG_INFINITY);
        rank(a).total_cmp(&rank(b))
    };
    let word = |of: &dyn Fn(&records::RunIdentity) -> String| {
        let rank = |row: &Overview| row.run.as_ref().map(of).unwrap_or_default();
        rank(a).cmp(&rank(b))
    };
    match column {
        "benchmark" => word(&|run| run.benchmark.clone()),
        "mode" => word(&|run| {
            format!(
                "{} {}",
                run.protocol,
                run.prompt_mode.as_deref().unwrap_or_default()
            )
        }),
        "model" => word(&|run| run.model.clone()),
        "score" => number(&score),
        "coverage" => number(&|row| Some(row.summary.as_ref()?.coverage)),
        "cost" => number(&|row| row.summary.as_ref()?.cost_usd),
        "tokens" => number(&|row| Some(row.summary.as_ref()?.usage?.total() as f64)),
        "time" => number(&|row| Some(row.summary.as_ref()?.per_attempt.as_ref()?.total_time_s)),
        _ => a.started_at.cmp(&b.started_at),
    }
}
