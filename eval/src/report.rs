//! Reports of runs: what `eval report` prints and draws, made from records and trajectories alone.

mod behaviour;
mod groups;
mod spending;
mod text;

mod html;
mod plot;

use std::collections::BTreeSet;

use crate::record::{AttemptRecord, RunIdentity};
use crate::run_dir::{RunDir, RunDirError};
use crate::summary::Summary;

pub use behaviour::{Behaviour, TimeSplit};
pub use groups::{Group, Grouping};
pub use html::{HtmlError, html};
pub use spending::Spending;
pub use text::text;

/// Everything that a report shows of one run.
#[derive(Debug, Clone)]
pub struct RunReport {
    /// What tells it from the others: a few words.
    pub label: String,
    /// What all attempts have in common.
    pub identity: RunIdentity,
    /// Scores, intervals and means.
    pub summary: Summary,
    /// What its agents did.
    pub behaviour: Behaviour,
    /// Scores by facts about the samples.
    pub groupings: Vec<Grouping>,
    /// The root's iterations of each attempt that ended `ok` or `limit`.
    pub iterations: Vec<u32>,
    /// Attempts that scored less than 1 or ended in an error, worst first.
    pub failures: Vec<Failure>,
}

/// An attempt that went wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The sample.
    pub id: String,
    /// 1-based.
    pub attempt: u32,
    /// How it ended.
    pub status: String,
    /// None after an error.
    pub score: Option<f64>,
    /// What the agent answered, or why it did not; cut.
    pub got: String,
    /// The right answer; cut.
    pub expected: String,
}

/// The reports of runs, in their order.
///
/// # Errors
/// [`RunDirError`] for a trajectory that cannot be read or is no trajectory.
pub fn reports(runs: &[RunDir]) -> Result<Vec<RunReport>, RunDirError> {
    let labels = labels(&runs.iter().map(|run| &run.lock.run).collect::<Vec<_>>());
    let records: Vec<&[AttemptRecord]> = runs.iter().map(|run| run.records.as_slice()).collect();
    let groupings = groups::of(&records);
    runs.iter()
        .zip(labels)
        .zip(groupings)
        .map(|((run, label), groupings)| {
            let ended = run.records.iter().filter(|record| behaviour::ended(record));
            Ok(RunReport {
                label,
                identity: run.lock.run.clone(),
                summary: Summary::new(&run.records, run.attempts_total()).with_wasted(run.wasted),
                behaviour: behaviour::of(run)?,
                groupings,
                iterations: ended.map(|record| record.iterations).collect(),
                failures: failures(run),
            })
        })
        .collect()
}

/// Characters of an answer that a report shows.
const EXCERPT: usize = 300;

fn failures(run: &RunDir) -> Vec<Failure> {
    let mut failures: Vec<Failure> = run
        .records
        .iter()
        .filter(|record| record.score.is_none_or(|score| score < 1.0))
        .map(|record| Failure {
            id: record.id.clone(),
            attempt: record.attempt,
            status: record.status.to_string(),
            score: record.score,
            got: excerpt(record.answer.as_ref().or(record.error.as_ref())),
            expected: match &record.expected {
                serde_json::Value::String(text) => excerpt(Some(text)),
                value => excerpt(Some(&value.to_string())),
            },
        })
        .collect();
    failures.sort_by(|a, b| {
        let score = |failure: &Failure| failure.score.unwrap_or(-1.0);
        (score(a).total_cmp(&score(b))).then_with(|| (&a.id, a.attempt).cmp(&(&b.id, b.attempt)))
    });
    failures
}

fn excerpt(text: Option<&String>) -> String {
    let text = text.map_or("", String::as_str);
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What tells the runs apart: benchmark, protocol, mode and drivers; where these are equal, with the model or depth that
/// differ; where all is equal, the run's id.
fn labels(runs: &[&RunIdentity]) -> Vec<String> {
    let differ = |of: fn(&RunIdentity) -> String| {
        let values: BTreeSet<String> = runs.iter().map(|run| of(run)).collect();
        values.len() > 1
    };
    let models = differ(|run| run.model.clone());
    let depths = differ(|run| run.max_depth.to_string());
    let plain: Vec<String> = runs.iter().map(|run| run.label()).collect();
    let full = runs.iter().zip(&plain).map(|(run, label)| {
        let mut label = label.clone();
        if models {
            label = format!("{label} {}", run.model);
        }
        if depths {
            label = format!("{label} depth {}", run.max_depth);
        }
        label
    });
    let full: Vec<String> = full.collect();
    let unique = |labels: &[String], label: &String| {
        labels.iter().filter(|other| *other == label).count() == 1
    };
    let label = |((run, plain_label), full_label): ((&&RunIdentity, &String), &String)| {
        if unique(&plain, plain_label) {
            plain_label.clone()
        } else if unique(&full, full_label) {
            full_label.clone()
        } else {
            run.run_id.clone()
        }
    };
    runs.iter().zip(&plain).zip(&full).map(label).collect()
}
