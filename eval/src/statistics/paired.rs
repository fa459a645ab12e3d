//! The difference between two runs over the same samples.

use serde::Serialize;

use super::cluster::{Clustered, clustered};
use super::estimate::NoInterval;
use super::mcnemar::mcnemar;
use super::quantile::t_two_sided;
use super::score_interval::{FEW_CLUSTERS, score_interval};

/// One sample's mean score in each of two runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<K> {
    /// Samples of one cluster stand or fall together.
    pub cluster: K,
    /// The mean score of its attempts in the first run, from 0 to 1.
    pub first: f64,
    /// In the second run.
    pub second: f64,
}

/// What two runs over the same samples tell of their difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Paired {
    /// Samples that both have a score of.
    pub samples: u64,
    /// Clusters of these.
    pub clusters: u64,
    /// Mean score of the first run over them.
    pub first: f64,
    /// Mean score of the second run over them.
    pub second: f64,
    /// `second − first`.
    pub difference: f64,
    /// Its standard error, clustered. None with a single cluster.
    pub standard_error: Option<f64>,
    /// Its 95 % interval; where there is none, [`Self::no_interval`] says why.
    pub interval: Option<[f64; 2]>,
    /// Samples on which the second run is better.
    pub wins: u64,
    /// Samples on which it is worse.
    pub losses: u64,
    /// Samples on which both score the same.
    pub ties: u64,
    /// Two-sided p value of the t test. None without a standard error, or where a difference never varies.
    pub t_p: Option<f64>,
    /// Two-sided p value of McNemar's exact test. None unless every sample is right or wrong in both runs and a cluster
    /// of its own.
    pub mcnemar_p: Option<f64>,
}

impl Paired {
    /// The p value to go by: McNemar's where it fits, else the t test's.
    pub fn p(&self) -> Option<f64> {
        self.mcnemar_p.or(self.t_p)
    }

    /// Why it has no interval; none if it has one.
    pub fn no_interval(&self) -> Option<NoInterval> {
        match self.interval {
            Some(_) => None,
            None => Some(NoInterval::of(self.clusters)),
        }
    }

    /// Whether it has an interval of so few clusters that it is approximate: fewer than [`FEW_CLUSTERS`].
    pub fn is_approximate(&self) -> bool {
        self.interval.is_some() && self.clusters < FEW_CLUSTERS as u64
    }
}

/// Compares two runs sample by sample. None without a sample.
///
/// The difference is the mean over samples of theirs, each sample counting once; its error is [`clustered`]. The test takes
/// `difference / error` for a t of as many degrees of freedom as there are clusters, less one: A. C. Cameron and
/// D. L. Miller, "A Practitioner's Guide to Cluster-Robust Inference" (2015), section VI. That pairing by sample takes
/// out what the samples have in common: E. Miller, "Adding Error Bars to Evals", arXiv:2411.00640 (2024).
pub fn paired<K: Ord>(pairs: &[Pair<K>]) -> Option<Paired> {
    let found = differences(pairs)?;
    let count = |holds: fn(f64) -> bool| {
        let those = pairs.iter().filter(|pair| holds(pair.second - pair.first));
        those.count() as u64
    };
    let (wins, losses) = (count(|value| value > TIE), count(|value| value < -TIE));
    let clusters = found.clusters.len();
    let binary = is_right_or_wrong(pairs, &found);
    Some(Paired {
        samples: pairs.len() as u64,
        clusters: clusters as u64,
        first: mean(pairs.iter().map(|pair| pair.first)),
        second: mean(pairs.iter().map(|pair| pair.second)),
        difference: found.mean,
        standard_error: found.standard_error,
        interval: interval(&found, binary),
        wins,
        losses,
        ties: pairs.len() as u64 - wins - losses,
        t_p: t_test(&found),
        mcnemar_p: binary.then(|| mcnemar(wins, losses)),
    })
}

/// The p value that [`Paired::p`] has of these samples, and nothing else of them.
pub fn p_value<K: Ord>(pairs: &[Pair<K>]) -> Option<f64> {
    let found = differences(pairs)?;
    if !is_right_or_wrong(pairs, &found) {
        return t_test(&found);
    }
    let count = |sign: f64| {
        let those = pairs.iter();
        those
            .filter(|pair| sign * (pair.second - pair.first) > TIE)
            .count() as u64
    };
    Some(mcnemar(count(1.0), count(-1.0)))
}

/// Two-sided. None without a standard error, or where a difference other than 0 never varies.
fn t_test(found: &Clustered) -> Option<f64> {
    let error = found.standard_error?;
    if error > 0.0 {
        return t_two_sided(found.mean / error, found.clusters.len() as f64 - 1.0);
    }
    (found.mean.abs() <= TIE).then_some(1.0)
}

/// The samples' differences, second run less first.
pub(super) fn differences<K: Ord>(pairs: &[Pair<K>]) -> Option<Clustered> {
    let values = pairs
        .iter()
        .map(|pair| (&pair.cluster, pair.second - pair.first));
    clustered(&values.collect::<Vec<_>>())
}

/// Whether every sample is right or wrong in both runs, and a cluster of its own.
pub(super) fn is_right_or_wrong<K>(pairs: &[Pair<K>], found: &Clustered) -> bool {
    let known = |pair: &Pair<K>| {
        let scores = [pair.first, pair.second];
        scores.iter().all(|score| [0.0, 1.0].contains(score))
    };
    found.clusters.len() == pairs.len() && pairs.iter().all(known)
}

/// The 95 % interval of a mean difference. None where one of its parts has none.
///
/// Differences lie between -1 and 1: brought to 0 to 1, their mean has a [`score_interval`]. Where at least half of the
/// clusters tie, this would show too little of the few that do not. Then what the clusters win on average and what they
/// lose have a [`score_interval`] each, and these are put together as G. Y. Zou and A. Donner do, "Construction of
/// Confidence Limits about Effect Measures", Statistics in Medicine 27 (2008), after R. G. Newcombe, "Improved Confidence
/// Intervals for the Difference between Binomial Proportions Based on Paired Data", ibid. 17 (1998).
fn interval(found: &Clustered, binary: bool) -> Option<[f64; 2]> {
    let ties = found.clusters.iter().filter(|(sum, _)| sum.abs() <= TIE);
    if !binary && 2 * ties.count() < found.clusters.len() {
        let clusters = found.clusters.iter();
        let moved = Clustered {
            mean: f64::midpoint(found.mean, 1.0),
            n: found.n,
            clusters: clusters
                .map(|(sum, size)| (f64::midpoint(*sum, *size), *size))
                .collect(),
            standard_error: None,
        };
        let (low, high) = score_interval(&moved, false)?;
        return Some([2.0 * low - 1.0, 2.0 * high - 1.0]);
    }
    let part = |sign: f64| {
        let sums = found.clusters.iter();
        let clusters: Vec<(f64, f64)> = sums
            .map(|(sum, size)| ((sign * sum).max(0.0), *size))
            .collect();
        Clustered {
            mean: clusters.iter().map(|(sum, _)| sum).sum::<f64>() / found.n,
            n: found.n,
            clusters,
            standard_error: None,
        }
    };
    let (won, lost) = (part(1.0), part(-1.0));
    let (low, high) = score_interval(&won, binary)?;
    let (low_lost, high_lost) = score_interval(&lost, binary)?;
    let r = correlation(&won, &lost);
    let distance = |a: f64, b: f64| (a * a + b * b - 2.0 * r * a * b).max(0.0).sqrt();
    let difference = won.mean - lost.mean;
    Some([
        (difference - distance(won.mean - low, high_lost - lost.mean)).max(-1.0),
        (difference + distance(high - won.mean, lost.mean - low_lost)).min(1.0),
    ])
}

/// The correlation of what clusters win and lose; where it is unknown, -1, which gives the widest interval.
fn correlation(won: &Clustered, lost: &Clustered) -> f64 {
    let sum = |a: &Clustered, b: &Clustered| -> f64 {
        let groups = a.clusters.iter().zip(&b.clusters);
        let terms = groups
            .map(|((a_sum, size), (b_sum, _))| (a_sum - size * a.mean) * (b_sum - size * b.mean));
        terms.sum()
    };
    let scale = (sum(won, won) * sum(lost, lost)).sqrt();
    if scale > 0.0 {
        (sum(won, lost) / scale).clamp(-1.0, 1.0)
    } else {
        -1.0
    }
}

/// Mean scores nearer than this differ by rounding alone.
const TIE: f64 = 1e-12;

/// Sums in ascending order, so that the order of samples does not show.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.iter().sum::<f64>() / values.len() as f64
}
