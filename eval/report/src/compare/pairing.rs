//! Pairs the samples of two runs, and reports the samples that cannot be paired.

use std::collections::BTreeMap;

use model::Status;
use serde::Serialize;
use statistics::Pair;

use super::run_scores::{RunScores, ScoredAttempt};
use crate::summary::Cluster;

/// How to count an attempt of status `error`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCounting {
    /// The attempt is excluded.
    Excluded,
    /// The attempt scores 0.
    AsZero,
}

impl ErrorCounting {
    /// Returns the score of an attempt, or `None` if it does not count.
    pub(super) fn score(self, attempt: &ScoredAttempt) -> Option<f64> {
        match (self, attempt.status) {
            (Self::AsZero, Status::Error) => Some(0.0),
            _ => attempt.score,
        }
    }
}

/// Samples that do not align between two runs. Ids are sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Alignment {
    /// Samples that only the first run has.
    pub only_first: Vec<String>,
    /// Samples that only the second run has.
    pub only_second: Vec<String>,
    /// Samples of both runs that lack a score in at least one of them.
    pub unscored: Vec<String>,
    /// Compared samples with more scores in one run than in the other.
    pub unequal_attempts: Vec<String>,
    /// Samples in different clusters in the two runs; the first run's cluster is used.
    pub other_cluster: Vec<String>,
}

/// A sample of one run.
#[derive(Default)]
pub(super) struct Sample<'a> {
    pub cluster: Option<&'a str>,
    /// Scores of the attempts that count, in ascending order.
    pub scores: Vec<f64>,
}

impl Sample<'_> {
    /// Returns the mean score, or `None` if no attempt counts.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.scores.iter().sum();
        (!self.scores.is_empty()).then(|| sum / self.scores.len() as f64)
    }
}

/// Returns the samples of a run by id, including those without a score.
pub(super) fn samples(run: &RunScores, errors: ErrorCounting) -> BTreeMap<&str, Sample<'_>> {
    let mut samples: BTreeMap<&str, Sample> = BTreeMap::new();
    for attempt in &run.attempts {
        let sample = samples.entry(&attempt.sample).or_default();
        sample.cluster = sample.cluster.or(attempt.cluster.as_deref());
        sample.scores.extend(errors.score(attempt));
    }
    for sample in samples.values_mut() {
        // Floating-point sums depend on the order, and attempts finish in arbitrary order.
        sample.scores.sort_by(f64::total_cmp);
    }
    samples
}

/// Pairs the mean scores of each sample that has a score in both runs. Also returns the samples
/// that do not align.
pub fn pair_up<'a>(
    first: &'a RunScores,
    second: &'a RunScores,
    errors: ErrorCounting,
) -> (Vec<Pair<Cluster<'a>>>, Alignment) {
    let (a, b) = (samples(first, errors), samples(second, errors));
    let mut pairs = Vec::new();
    let mut alignment = Alignment {
        only_second: b
            .keys()
            .filter(|id| !a.contains_key(*id))
            .map(|id| (*id).to_owned())
            .collect(),
        ..Alignment::default()
    };
    for (id, ours) in a {
        let Some(theirs) = b.get(id) else {
            alignment.only_first.push(id.to_owned());
            continue;
        };
        let (Some(first), Some(second)) = (ours.mean(), theirs.mean()) else {
            alignment.unscored.push(id.to_owned());
            continue;
        };
        if ours.scores.len() != theirs.scores.len() {
            alignment.unequal_attempts.push(id.to_owned());
        }
        // An unknown cluster is not a contradiction.
        if ours
            .cluster
            .zip(theirs.cluster)
            .is_some_and(|(a, b)| a != b)
        {
            alignment.other_cluster.push(id.to_owned());
        }
        let cluster = Cluster::of(id, ours.cluster.or(theirs.cluster));
        pairs.push(Pair {
            cluster,
            first,
            second,
        });
    }
    (pairs, alignment)
}
