//! Finds the attempts before and after an attempt: in the list or comparison from which it was
//! opened, or otherwise in its run.

use std::cmp::Ordering;
use std::sync::Arc;

use serde_json::{Value, json};

use super::comparison::{Differing, differing};
use super::error::ViewError;
use super::query::Query;
use super::run_file::RunFile;
use super::sample_list::{List, in_order, natural};

fn key(id: &str, number: u32) -> Value {
    json!({ "id": id, "attempt": number })
}

/// Finds the items before and after an item, or returns `None` if `all` does not contain it. They
/// are found in one pass without sorting, because an export needs the neighbors of every attempt.
fn find_neighbors<T: Copy>(
    all: impl Iterator<Item = T>,
    with_here: impl Fn(T) -> Ordering,
    compare: impl Fn(T, T) -> Ordering,
    key: impl Fn(T) -> Value,
    within: &str,
) -> Option<Value> {
    let (mut previous, mut next): (Option<T>, Option<T>) = (None, None);
    let (mut before, mut of, mut is_there) = (0_usize, 0_usize, false);
    for one in all {
        of += 1;
        match with_here(one) {
            Ordering::Equal => is_there = true,
            Ordering::Less => {
                before += 1;
                if previous.is_none_or(|last| compare(last, one).is_lt()) {
                    previous = Some(one);
                }
            }
            Ordering::Greater => {
                if next.is_none_or(|last| compare(one, last).is_lt()) {
                    next = Some(one);
                }
            }
        }
    }
    is_there.then(|| {
        json!({
            "previous": previous.map(&key),
            "next": next.map(&key),
            "place": before + 1,
            "of": of,
            "within": within,
        })
    })
}

/// Returns the neighbors in a list, or `None` if the list does not contain the attempt.
pub fn in_list(list: &List<'_>, (sample, attempt): (&str, u32)) -> Option<Value> {
    let here = list.file.record(sample, attempt)?;
    let records = list.file.run.records.iter();
    let held = records.filter(|record| list.holds(record));
    find_neighbors(
        held,
        |one| list.compare(one, here),
        |a, b| list.compare(a, b),
        |record| key(&record.id, record.attempt),
        "list",
    )
}

/// Returns the neighbors among the samples whose scores differ between the runs of the parameter
/// `compare`, which `open` opens. Each neighbor contains the number of the attempt to show for
/// every run.
///
/// # Errors
/// Returns [`ViewError`] for unknown runs.
pub fn in_comparison(
    open: impl Fn(&str) -> Result<Arc<RunFile>, ViewError>,
    run: &str,
    here: (&str, u32),
    query: &Query,
) -> Result<Option<Value>, ViewError> {
    let ids = query.ids("compare")?;
    let files = ids.iter().map(|id| open(id));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let files: Vec<&RunFile> = files.iter().map(AsRef::as_ref).collect();
    let Some(own) = ids.iter().position(|id| id == run) else {
        return Ok(None);
    };
    let all = differing(&files);
    let held = all
        .iter()
        .filter(|one| one.results.get(own).is_some_and(Option::is_some));
    let key = |one: &Differing| {
        let attempts: Vec<Option<u32>> = one
            .results
            .iter()
            .map(|result| result.as_ref().map(|result| result.attempt))
            .collect();
        json!({ "id": one.id, "attempt": attempts.get(own), "attempts": attempts })
    };
    Ok(find_neighbors(
        held,
        |one| natural(&one.id, here.0).then_with(|| one.id.as_str().cmp(here.0)),
        |a, b| natural(&a.id, &b.id).then_with(|| a.id.cmp(&b.id)),
        key,
        "comparison",
    ))
}

/// Returns the neighbors in the default order of a run's page, including attempts in progress.
pub fn in_run(file: &RunFile, here: (&str, u32)) -> Value {
    let finished = file.run.records.iter();
    let under_way = file.under_way.iter();
    let all = finished
        .map(|record| (record.id.as_str(), record.attempt))
        .chain(under_way.map(|one| (one.id.as_str(), one.attempt)));
    let with_here = |one| in_order(one, here);
    let key = |(id, number): (&str, u32)| key(id, number);
    find_neighbors(all.clone(), with_here, in_order, key, "run").unwrap_or_else(|| {
        json!({ "previous": null, "next": null, "place": null, "of": all.count(), "within": "run" })
    })
}
