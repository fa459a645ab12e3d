//! A mean of scores and how far to trust it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cluster::clustered;
use crate::method::{FEW_CLUSTERS, Method};
use crate::wilson::score_interval;

/// A mean with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean of the values.
    pub mean: f64,
    /// Standard error of the mean, clustered; none with a single cluster.
    pub standard_error: Option<f64>,
    /// Clusters of the values: independent draws. 0 in files of versions that did not write it.
    #[serde(default)]
    pub clusters: u64,
    /// Method of the interval; none without an interval and in files of versions that did not write it.
    #[serde(default)]
    pub method: Option<Method>,
    /// The 95 % interval of the mean; none with fewer than [`crate::MIN_CLUSTERS`] clusters.
    pub interval: Option<Interval>,
}

/// A 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end, at least 0.
    pub low: f64,
    /// The upper end, at most 1.
    pub high: f64,
}

impl Estimate {
    /// Whether it has an interval of fewer than [`FEW_CLUSTERS`] clusters, so that tables add a warning.
    pub fn has_few_clusters(&self) -> bool {
        self.interval.is_some() && self.clusters < FEW_CLUSTERS as u64
    }
}

/// Returns the mean over samples of values from 0 to 1, one for each sample, each given with its cluster. None without values.
///
/// Samples of one cluster may be alike, so only clusters count as independent draws.
pub fn estimate<K: Ord>(values: &[(K, f64)]) -> Option<Estimate> {
    let found = clustered(values)?;
    // Exactly 0 or 1: scores of scorers that know only right and wrong.
    let binary = values.iter().all(|(_, value)| [0.0, 1.0].contains(value));
    let (interval, method) = score_interval(&found, binary).unzip();
    Some(Estimate {
        mean: found.mean,
        standard_error: found.standard_error,
        clusters: found.clusters.len() as u64,
        method,
        interval: interval.map(|[low, high]| Interval { low, high }),
    })
}

/// Returns each sample's mean score with its cluster, in the order of the samples; scores are given as sample, cluster and score
/// of an attempt. The cluster is that of the sample's first score.
pub fn sample_means<S: Ord, K>(scores: impl IntoIterator<Item = (S, K, f64)>) -> Vec<(K, f64)> {
    let mut samples: BTreeMap<S, (K, Vec<f64>)> = BTreeMap::new();
    for (sample, cluster, score) in scores {
        let (_, scores) = samples.entry(sample).or_insert((cluster, Vec::new()));
        scores.push(score);
    }
    let means = samples.into_values().map(|(cluster, mut scores)| {
        // Sums of floats depend on their order, and attempts finish in any.
        scores.sort_by(f64::total_cmp);
        (cluster, scores.iter().sum::<f64>() / scores.len() as f64)
    });
    means.collect()
}
