//! Figures of a comparison, by run and by sample.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use model::Status;
use records::is_zero;
use serde::Serialize;
use statistics::{Estimate, estimate, sample_means};

use super::pairing::{ErrorCounting, samples as samples_of};
use super::run_scores::{RunScores, ScoredAttempt};
use crate::summary::{Cluster, Statuses};

/// Figures of one run over all its samples, including those that other runs lack.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunFigures {
    /// Name of the run: `A`, `B`, ….
    pub name: String,
    /// Path of the folder or file.
    pub path: PathBuf,
    /// Whether the figures are from a CSV file, which does not contain the number of planned
    /// attempts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_csv: bool,
    /// Folder of the race that the run is a cell of, if any. p values and intervals are invalid for
    /// such a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<String>,
    /// Known values that are the same in all rows of `results.csv`.
    pub facts: BTreeMap<String, String>,
    /// Time when the first attempt began, if recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// Number of samples with at least one recorded attempt.
    pub samples: u64,
    /// Number of planned attempts; of a CSV file, number of rows.
    pub attempts_total: u64,
    /// Number of attempts with a score.
    pub scored: u64,
    /// `scored / attempts_total`.
    pub coverage: f64,
    /// Number of attempts by status.
    pub statuses: Statuses,
    /// Number of attempts in which the model refused; they score 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub refused: u64,
    /// Number of attempts with a prompt that the server probably truncated.
    #[serde(skip_serializing_if = "is_zero")]
    pub cut_prompts: u64,
    /// Mean over samples of the mean score of their scored attempts.
    pub score: Option<Estimate>,
    /// Mean score if every attempt of status `error` scores 0.
    pub score_errors_as_zero: Option<Estimate>,
}

/// Scores of one sample in every run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SampleScores {
    /// Id of the sample.
    pub id: String,
    /// Mean score in each run, errors excluded; `None` if the run has no score for the sample.
    pub scores: Vec<Option<f64>>,
}

pub(super) fn figures(runs: &[RunScores], names: &[String]) -> Vec<RunFigures> {
    runs.iter().zip(names).map(run_figures).collect()
}

fn run_figures((run, name): (&RunScores, &String)) -> RunFigures {
    let count = |holds: &dyn Fn(&ScoredAttempt) -> bool| {
        run.attempts.iter().filter(|attempt| holds(attempt)).count() as u64
    };
    let with = |status: Status| count(&|attempt| attempt.status == status);
    let score = |errors: ErrorCounting| {
        let scores = run.attempts.iter().filter_map(|attempt| {
            let cluster = Cluster::of(&attempt.sample, attempt.cluster.as_deref());
            Some((attempt.sample.as_str(), cluster, errors.score(attempt)?))
        });
        estimate(&sample_means(scores))
    };
    let scored = count(&|attempt| attempt.score.is_some());
    RunFigures {
        name: name.clone(),
        path: run.path.clone(),
        is_csv: run.is_csv,
        race: (run.race.as_ref()).map(|folder| folder.display().to_string()),
        facts: run.facts.clone(),
        started: run.started,
        samples: samples_of(run, ErrorCounting::Excluded).len() as u64,
        attempts_total: run.attempts_total,
        scored,
        coverage: match run.attempts_total {
            0 => 0.0,
            total => scored as f64 / total as f64,
        },
        statuses: Statuses {
            ok: with(Status::Ok),
            limit: with(Status::Limit),
            error: with(Status::Error),
            cancelled: with(Status::Cancelled),
        },
        refused: count(&|attempt| attempt.refused),
        cut_prompts: count(&|attempt| attempt.has_truncated_prompt),
        score: score(ErrorCounting::Excluded),
        score_errors_as_zero: score(ErrorCounting::AsZero),
    }
}

pub(crate) fn samples(runs: &[RunScores]) -> Vec<SampleScores> {
    let mut rows: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
    for (index, run) in runs.iter().enumerate() {
        for (id, sample) in samples_of(run, ErrorCounting::Excluded) {
            let row = rows.entry(id).or_insert_with(|| vec![None; runs.len()]);
            row[index] = sample.mean();
        }
    }
    rows.into_iter()
        .map(|(id, scores)| SampleScores {
            id: id.to_owned(),
            scores,
        })
        .collect()
}
