//! The difference between two runs over the same samples.

use serde::Serialize;

use crate::cluster::{Clustered, clustered};
use crate::difference_interval::difference_interval;
use crate::estimate::NoInterval;
use crate::mcnemar::mcnemar;
use crate::quantile::t_two_sided;
use crate::score_interval::{FEW_CLUSTERS, MIN_CLUSTERS};

/// One sample's mean score in each of two runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<K> {
    /// Samples of one cluster stand or fall together.
    pub cluster: K,
    /// The mean score of its attempts in the first run, from 0 to 1.
    pub first: f64,
    /// In the second run.
    pub second: f64,
    /// Whether each of these attempts is right or wrong, a score of 1 or 0.
    pub right_or_wrong: bool,
}

/// The difference between two runs over the same samples.
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
    /// Whether that is by the binomial distribution itself, which needs no approximation: McNemar's test fits.
    pub exact: bool,
    /// Samples on which the second run is better.
    pub wins: u64,
    /// Samples on which it is worse.
    pub losses: u64,
    /// Samples on which both score the same.
    pub ties: u64,
    /// Two-sided p value of the t test. None with fewer than [`MIN_CLUSTERS`] clusters, or where a difference other than 0
    /// never varies.
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

    /// Whether the t test decides and says that there is a difference at the level `level`, where the interval holds 0. The
    /// interval allows for samples of a kind that none of these is of, and the t test does not.
    pub fn test_outruns_interval(&self, p: f64, level: f64) -> bool {
        let holds_0 = |[low, high]: [f64; 2]| low <= 0.0 && 0.0 <= high;
        self.mcnemar_p.is_none() && p <= level && self.interval.is_some_and(holds_0)
    }

    /// Whether it has an interval of so few clusters that it is approximate: fewer than [`FEW_CLUSTERS`].
    pub fn is_approximate(&self) -> bool {
        self.interval.is_some() && !self.exact && self.clusters < FEW_CLUSTERS as u64
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
        interval: difference_interval(pairs, &found, binary),
        exact: binary,
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

/// Two-sided. None with fewer than [`MIN_CLUSTERS`] clusters: where a few samples are much worse in one run and all others
/// somewhat better, runs of 2 to 9 often hold none of these, and up to 20 % would show a difference where there is none.
/// None, too, where a difference other than 0 never varies.
fn t_test(found: &Clustered) -> Option<f64> {
    if found.clusters.len() < MIN_CLUSTERS {
        return None;
    }
    let error = found.standard_error?;
    if error > 0.0 {
        return t_two_sided(found.mean / error, found.clusters.len() as f64 - 1.0);
    }
    (found.mean.abs() <= TIE).then_some(1.0)
}

/// The samples' differences, second run less first.
pub(crate) fn differences<K: Ord>(pairs: &[Pair<K>]) -> Option<Clustered> {
    let values = pairs
        .iter()
        .map(|pair| (&pair.cluster, pair.second - pair.first));
    clustered(&values.collect::<Vec<_>>())
}

/// Whether every sample is right or wrong in both runs, and a cluster of its own.
pub(crate) fn is_right_or_wrong<K>(pairs: &[Pair<K>], found: &Clustered) -> bool {
    let known = |pair: &Pair<K>| {
        let scores = [pair.first, pair.second];
        scores.iter().all(|score| [0.0, 1.0].contains(score))
    };
    found.clusters.len() == pairs.len() && pairs.iter().all(known)
}

/// Mean scores nearer than this differ by rounding alone.
pub(crate) const TIE: f64 = 1e-12;

/// Sums in ascending order, so that the order of samples does not show.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.iter().sum::<f64>() / values.len() as f64
}
