//! Statistics of several attempts per sample, such as pass@k.

use std::collections::BTreeMap;

use records::AttemptRecord;
use serde::{Deserialize, Serialize};
use statistics::{Estimate, best_of, estimate, pass_at_k, pass_hat_k};

use super::Cluster;

/// Figures of a run with several attempts at each sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repeated {
    /// `n`: the maximum number of recorded attempts at a sample.
    pub attempts_per_sample: u32,
    /// Figures over the attempts that have a score.
    pub errors_excluded: Attempts,
    /// Figures if every attempt of status `error` scores 0.
    pub errors_as_zero: Attempts,
}

/// Figures over the samples, which have equal weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempts {
    /// Mean over samples of the best of their `n` scores; samples with fewer scores are excluded.
    pub best_of_n: Option<Estimate>,
    /// Probabilities by `k`: 1, 2, 4, 8, … and `n`.
    pub pass: Vec<Pass>,
}

/// Probabilities that at least one, or that all, of `k` attempts at a sample are correct. An
/// attempt is correct if it scores 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// Number of attempts drawn at each sample.
    pub k: u32,
    /// Number of samples with at least `k` scores; the others are excluded.
    pub samples: u64,
    /// Probability that at least one attempt is correct: pass@k.
    pub pass_at_k: Option<Estimate>,
    /// Probability that all attempts are correct: pass^k.
    pub pass_hat_k: Option<Estimate>,
}

impl Repeated {
    /// Returns all figures that tables show with an interval.
    pub(super) fn estimates(&self) -> impl Iterator<Item = &Estimate> {
        let ways = [&self.errors_excluded, &self.errors_as_zero];
        ways.into_iter().flat_map(|way| {
            let chances = way.pass.iter();
            let chances = chances.flat_map(|pass| [&pass.pass_at_k, &pass.pass_hat_k]);
            [&way.best_of_n].into_iter().chain(chances).flatten()
        })
    }
}

/// Computes the figures, or returns `None` if every sample has a single attempt.
pub(super) fn repeated(
    records: &[AttemptRecord],
    score_or_zero: impl Fn(&AttemptRecord) -> Option<f64>,
) -> Option<Repeated> {
    let mut made: BTreeMap<&str, u32> = BTreeMap::new();
    for record in records {
        *made.entry(&record.id).or_default() += 1;
    }
    let most = made.into_values().max().filter(|most| *most > 1)?;
    Some(Repeated {
        attempts_per_sample: most,
        errors_excluded: attempts(records, most, |record| record.score),
        errors_as_zero: attempts(records, most, score_or_zero),
    })
}

fn attempts(
    records: &[AttemptRecord],
    n: u32,
    score: impl Fn(&AttemptRecord) -> Option<f64>,
) -> Attempts {
    let mut samples: BTreeMap<&str, (Cluster, Vec<f64>)> = BTreeMap::new();
    for record in records {
        if let Some(score) = score(record) {
            let sample = samples.entry(&record.id);
            let (_, scores) = sample.or_insert_with(|| (Cluster::of_record(record), Vec::new()));
            scores.push(score);
        }
    }
    let over_samples = |figure: &dyn Fn(&[f64]) -> Option<f64>| {
        let values: Vec<(&Cluster, f64)> = samples
            .values()
            .filter_map(|(cluster, scores)| Some((cluster, figure(scores)?)))
            .collect();
        (values.len() as u64, estimate(&values))
    };
    let best = |scores: &[f64]| (counted(scores).0 >= n).then(|| best_of(scores))?;
    let pass = |k| {
        let draw = |chance: fn(u32, u32, u32) -> Option<f64>| {
            let of_sample = |scores: &[f64]| {
                let (made, right) = counted(scores);
                chance(made, right, k)
            };
            over_samples(&of_sample)
        };
        let (samples, pass_at_k) = draw(pass_at_k);
        Pass {
            k,
            samples,
            pass_at_k,
            pass_hat_k: draw(pass_hat_k).1,
        }
    };
    Attempts {
        best_of_n: over_samples(&best).1,
        pass: sizes(n).map(pass).collect(),
    }
}

/// Returns the number of scores and the number of correct ones.
fn counted(scores: &[f64]) -> (u32, u32) {
    scores.iter().fold((0, 0), |(made, right), score| {
        (made + 1, right + u32::from(*score >= 1.0))
    })
}

/// Returns the powers of two below `n`, followed by `n`.
fn sizes(n: u32) -> impl Iterator<Item = u32> {
    let doubling = std::iter::successors(Some(1_u32), |k| k.checked_mul(2));
    doubling.take_while(move |k| *k < n).chain([n])
}
