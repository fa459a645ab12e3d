//! Formats a report as text: the tables that `rlm-eval report` prints.

use std::collections::BTreeSet;

use statistics::Estimate;

use super::short_summary::short_summary;
use super::{Report, RunBehavior, RunReport, spending};
use crate::columns::{Row, row};
use crate::compare;
use crate::differences;
use crate::race::race_table;
use crate::sanitize::sanitize;
use crate::summary::{self, LENGTHS, Summary, interval_notes, none, rows_table, score_text, table};

/// Formats the differences between the runs, followed by tables: scores and figures, behavior of
/// agents, scores by metadata, and comparisons of sweeps. Tables are at most `width` columns wide.
pub fn text(report: &Report, width: u16) -> String {
    let runs = &report.runs;
    let labels = labels(report);
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut sections = beginning(report, &labels, width);
    sections.push(scores(report, &labels, width));
    sections.push(rows_table("behavior", &labels, &behaviour(runs), width));
    for (title, rows) in agent_tables(runs) {
        sections.push(rows_table(title, &labels, &rows, width));
    }
    for name in facts(runs) {
        sections.push(rows_table(name, &labels, &by(name, runs), width));
    }
    let notes = interval_notes(grouped(runs));
    if !notes.is_empty() {
        sections.push(notes.join("\n") + "\n");
    }
    sections.extend(comparisons(report, width));
    sections.join("\n")
}

/// Formats the output at the end of a sweep: differences, scores, comparisons and a short summary.
pub fn conclusion(report: &Report, width: u16) -> String {
    let labels = labels(report);
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut sections = beginning(report, &labels, width);
    sections.push(scores(report, &labels, width));
    sections.extend(comparisons(report, width));
    sections.extend(short_summary(report, width));
    sections.join("\n")
}

/// Returns the column label of each run. With sweeps, labels are letters, explained in the first
/// table, because cell names are too long for columns.
fn labels(report: &Report) -> Vec<String> {
    let runs = report.runs.iter();
    let label = |run: &RunReport| {
        if report.sweeps.is_empty() {
            run.label.clone()
        } else {
            run.name.clone()
        }
    };
    runs.map(label).collect()
}

/// Formats the differences between the runs, and remarks about scorers, missing cells and prices.
fn beginning(report: &Report, labels: &[&str], width: u16) -> Vec<String> {
    let differences = report.differences.clone().named(labels);
    let mut sentences = differences::sentences(&differences, report.runs.len());
    sentences.extend(report.scorers(labels.iter().copied()));
    sentences.extend(report.race_warnings(labels.iter().copied()));
    sentences.extend(report.not_begun());
    let prices = report.runs.iter().flat_map(|run| &run.prices);
    let prices: BTreeSet<&str> = prices.map(String::as_str).collect();
    if !prices.is_empty() {
        let prices: Vec<&str> = prices.into_iter().collect();
        sentences.push(format!("Prices: {}.", prices.join("; ")));
    }
    let lines = sentences
        .iter()
        .map(|line| sanitize(line, usize::MAX) + "\n");
    let mut rows = differences::rows(&differences);
    if !report.sweeps.is_empty() {
        let names = report.runs.iter().map(|run| run.label.clone());
        rows.insert(0, ("run".to_owned(), names.collect()));
    }
    let table = match rows.as_slice() {
        [] => String::new(),
        rows => rows_table("what differs", labels, rows, width),
    };
    let mut sections = vec![table, lines.collect()];
    sections.retain(|section| !section.is_empty());
    sections
}

fn scores(report: &Report, labels: &[&str], width: u16) -> String {
    let summaries = report.runs.iter().map(|run| &run.summary);
    let columns: Vec<(&str, &Summary)> = labels.iter().copied().zip(summaries).collect();
    let rows = [
        row(&report.runs, "benchmark", |run| {
            run.identity.benchmark.clone()
        }),
        row(&report.runs, "scorer", |run| run.identity.scorer.clone()),
        row(&report.runs, "samples", |run| {
            run.summary.samples.to_string()
        }),
        row(&report.runs, "started", |run| compare::started(run.started)),
    ];
    let about = rows_table("", labels, &rows, width);
    format!("{about}\n{}", table(&columns, width))
}

fn comparisons(report: &Report, width: u16) -> Vec<String> {
    let many = report.sweeps.len() > 1;
    let compared = report.sweeps.iter();
    let compared =
        compared.filter(|sweep| sweep.race.is_some() || !sweep.comparison.comparisons.is_empty());
    compared
        .map(|sweep| {
            let of = if many {
                format!(
                    "Sweep {}\n\n",
                    sanitize(&sweep.folder.to_string_lossy(), 200)
                )
            } else {
                String::new()
            };
            of + &match &sweep.race {
                Some(race) => race_table(race, width),
                None => compare::pairs(&sweep.comparison, width),
            }
        })
        .collect()
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(none, summary::percent)
}

/// Formats a count and its share: `3 (12 %)`.
fn count(count: u64, share: Option<f64>) -> String {
    match share {
        Some(_) => format!("{count} ({})", percent(share)),
        None => count.to_string(),
    }
}

fn seconds(run: &RunBehavior, of: impl Fn(&super::TimeSplit) -> f64) -> String {
    run.time
        .as_ref()
        .map_or_else(none, |time| format!("{:.2} s", of(time)))
}

/// Returns rows about the behavior of agents, with a name and a cell for each run.
pub(super) fn behaviour(runs: &[RunReport]) -> Vec<Row> {
    let row = |name: &str, cell: &dyn Fn(&RunBehavior) -> String| {
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

/// Returns the tables of cost and tokens by agent, with titles and rows.
pub(super) fn agent_tables(runs: &[RunReport]) -> Vec<(&'static str, Vec<Row>)> {
    let of_runs = runs.iter().map(|run| run.behaviour.spending.as_slice());
    spending::tables(&of_runs.collect::<Vec<_>>())
}

/// Returns the metadata fields by which scores are grouped, except context lengths, which the first
/// table contains.
pub(super) fn facts(runs: &[RunReport]) -> BTreeSet<&str> {
    let groupings = runs.iter().flat_map(|run| &run.groupings);
    let names = groupings.map(|grouping| grouping.name.as_str());
    names.filter(|name| !LENGTHS.contains(name)).collect()
}

/// Returns the mean scores of all groups, except those by context length, which the first table
/// contains.
pub(super) fn grouped(runs: &[RunReport]) -> impl Iterator<Item = &Estimate> {
    let groupings = runs.iter().flat_map(|run| &run.groupings);
    let groupings = groupings.filter(|grouping| !LENGTHS.contains(&grouping.name.as_str()));
    let groups = groupings.flat_map(|grouping| &grouping.groups);
    groups.filter_map(|group| group.score.as_ref())
}

/// Returns a row of scores for each value of a metadata field.
pub(super) fn by(name: &str, runs: &[RunReport]) -> Vec<Row> {
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
