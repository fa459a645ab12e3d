//! The difference between two runs over the same samples.

use serde::Serialize;

use crate::cluster::{Clustered, clustered};
use crate::inference::{Inference, TIE};
use crate::mcnemar::mcnemar;
use crate::method::Method;
use crate::tango::Tango;

/// One sample's mean score in each of two runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<K> {
    /// Cluster of the sample. Samples in the same cluster may be correlated.
    pub cluster: K,
    /// Mean score of the sample's attempts in the first run, from 0 to 1.
    pub first: f64,
    /// Mean score of the sample's attempts in the second run, from 0 to 1.
    pub second: f64,
}

/// The difference between two runs over the same samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Paired {
    /// Number of samples with a score in both runs.
    pub samples: u64,
    /// Number of clusters of these samples.
    pub clusters: u64,
    /// Mean score of the first run over these samples.
    pub first: f64,
    /// Mean score of the second run over these samples.
    pub second: f64,
    /// `second − first`.
    pub difference: f64,
    /// Cluster-robust standard error of the difference; `None` with a single cluster.
    pub standard_error: Option<f64>,
    /// Interval and test of the difference.
    #[serde(flatten)]
    pub inference: Inference,
    /// Number of samples on which the second run is better.
    pub wins: u64,
    /// Number of samples on which the second run is worse.
    pub losses: u64,
    /// Number of samples on which both runs score the same.
    pub ties: u64,
    /// Two-sided p value of McNemar's exact test, shown for reference. `None` unless every score is
    /// 0 or 1 and every sample is its own cluster.
    pub mcnemar_p: Option<f64>,
}

impl Paired {
    /// Returns the 95 % interval of the difference, or `None` with fewer than
    /// [`crate::MIN_CLUSTERS`] clusters.
    pub fn interval(&self) -> Option<[f64; 2]> {
        self.inference.interval
    }

    /// Returns the two-sided p value for the null hypothesis of no difference, below 0.05 exactly
    /// if the interval excludes 0.
    pub fn p(&self) -> Option<f64> {
        self.inference.p
    }

    /// Returns the method that computed the interval and the p value.
    pub fn method(&self) -> Option<Method> {
        self.inference.method
    }

    /// Whether the interval is based on fewer than [`crate::FEW_CLUSTERS`] clusters, so that tables
    /// add a warning.
    pub fn has_few_clusters(&self) -> bool {
        self.inference.few_clusters
    }
}

/// Compares two runs sample by sample. Returns `None` without samples.
///
/// The difference is the mean of the samples' differences, with equal weights. Pairing by sample
/// removes the variation that both runs share: E. Miller, "Adding Error Bars to Evals",
/// arXiv:2411.00640 (2024).
pub fn paired<K: Ord>(pairs: &[Pair<K>]) -> Option<Paired> {
    let found = differences(pairs)?;
    let count = |sign: f64| {
        let differs = |pair: &&Pair<K>| sign * (pair.second - pair.first) > TIE;
        pairs.iter().filter(differs).count() as u64
    };
    let (wins, losses) = (count(1.0), count(-1.0));
    let answers = is_right_or_wrong(pairs, &found).then_some(Tango {
        wins: wins as f64,
        losses: losses as f64,
        samples: pairs.len() as f64,
    });
    Some(Paired {
        samples: pairs.len() as u64,
        clusters: found.clusters.len() as u64,
        first: mean(pairs.iter().map(|pair| pair.first)),
        second: mean(pairs.iter().map(|pair| pair.second)),
        difference: found.mean,
        standard_error: found.standard_error,
        inference: Inference::of(&found, answers),
        wins,
        losses,
        ties: pairs.len() as u64 - wins - losses,
        mcnemar_p: answers.map(|_| mcnemar(wins, losses)),
    })
}

/// Returns the clustered differences of the samples: second run minus first.
pub(crate) fn differences<K: Ord>(pairs: &[Pair<K>]) -> Option<Clustered> {
    let values = pairs
        .iter()
        .map(|pair| (&pair.cluster, pair.second - pair.first));
    clustered(&values.collect::<Vec<_>>())
}

/// Whether every score is 0 or 1 in both runs, and every sample is its own cluster.
pub(crate) fn is_right_or_wrong<K>(pairs: &[Pair<K>], found: &Clustered) -> bool {
    let known = |pair: &Pair<K>| {
        let scores = [pair.first, pair.second];
        scores.iter().all(|score| [0.0, 1.0].contains(score))
    };
    found.is_independent() && pairs.iter().all(known)
}

/// Returns the mean, summing in ascending order so that the order of samples does not affect the
/// result.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.iter().sum::<f64>() / values.len() as f64
}
