//! A report as text: the tables that `eval report` prints.

use std::collections::BTreeSet;

use super::groups::CONTEXT_LENGTH;
use super::{Behaviour, RunReport, spending};
use crate::summary::{Summary, rows_table, score_text, table};

/// The tables: scores and figures, what the agents did, and scores by facts about the samples.
pub fn text(runs: &[RunReport]) -> String {
    let columns: Vec<(&str, &Summary)> = runs
        .iter()
        .map(|run| (run.label.as_str(), &run.summary))
        .collect();
    let labels: Vec<&str> = runs.iter().map(|run| run.label.as_str()).collect();
    let mut sections = vec![table(&columns)];
    sections.push(rows_table("behaviour", &labels, &behaviour(runs)));
    for (title, rows) in spending::tables(runs) {
        sections.push(rows_table(title, &labels, &rows));
    }
    for name in facts(runs) {
        sections.push(rows_table(name, &labels, &by(name, runs)));
    }
    sections.join("\n")
}

/// What stands for a figure that there is not.
const NONE: &str = "-";

fn percent(share: Option<f64>) -> String {
    share.map_or_else(
        || NONE.to_owned(),
        |share| format!("{:.0} %", share * 100.0),
    )
}

/// A count and its share: `3 (12 %)`.
fn count(count: u64, share: Option<f64>) -> String {
    match share {
        Some(_) => format!("{count} ({})", percent(share)),
        None => count.to_string(),
    }
}

fn seconds(run: &Behaviour, of: impl Fn(&super::TimeSplit) -> f64) -> String {
    run.time
        .as_ref()
        .map_or_else(|| NONE.to_owned(), |time| format!("{:.2} s", of(time)))
}

/// Names and, for each run, what stands there.
pub(super) fn behaviour(runs: &[RunReport]) -> Vec<(String, Vec<String>)> {
    let row = |name: &str, cell: &dyn Fn(&Behaviour) -> String| {
        let cells = runs.iter().map(|run| cell(&run.behaviour));
        (name.to_owned(), cells.collect())
    };
    vec![
        row("early returns", &|run| percent(run.early_return_rate)),
        row("delegated", &|run| percent(run.delegation_rate)),
        row("cells", &|run| run.cells.to_string()),
        row("failed cells", &|run| {
            count(run.failed_cells, run.failed_rate())
        }),
        row("self-corrected", &|run| {
            count(run.corrected_cells, run.corrected_rate())
        }),
        row("ended in error", &|run| percent(run.error_rate)),
        row("time in models", &|run| seconds(run, |time| time.model_s)),
        row("time in cells", &|run| seconds(run, |time| time.sandbox_s)),
        row("overhead", &|run| seconds(run, |time| time.overhead_s)),
    ]
}

/// The facts by which any run is grouped, but for the context's length, which the first table has.
pub(super) fn facts(runs: &[RunReport]) -> BTreeSet<&str> {
    let groupings = runs.iter().flat_map(|run| &run.groupings);
    let names = groupings.map(|grouping| grouping.name.as_str());
    names.filter(|name| *name != CONTEXT_LENGTH).collect()
}

/// The scores by a fact's values.
pub(super) fn by(name: &str, runs: &[RunReport]) -> Vec<(String, Vec<String>)> {
    let groupings: Vec<_> = runs
        .iter()
        .map(|run| run.groupings.iter().find(|grouping| grouping.name == name))
        .collect();
    let mut values: Vec<&str> = Vec::new();
    for group in groupings
        .iter()
        .flatten()
        .flat_map(|grouping| &grouping.groups)
    {
        if !values.contains(&group.value.as_str()) {
            values.push(&group.value);
        }
    }
    let cells = |value: &str| -> Vec<String> {
        let group = groupings.iter().map(|grouping| {
            let groups = grouping.iter().flat_map(|grouping| &grouping.groups);
            groups.into_iter().find(|group| group.value == value)
        });
        group
            .map(|group| score_text(group.and_then(|group| group.score.as_ref())))
            .collect()
    };
    values
        .into_iter()
        .map(|value| (value.to_owned(), cells(value)))
        .collect()
}
