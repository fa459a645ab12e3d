//! Mean scores with their uncertainty.

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
    /// Standard error of the mean, clustered; `None` with a single cluster.
    pub standard_error: Option<f64>,
    /// Number of clusters, which count as independent draws; 0 in files of earlier versions.
    #[serde(default)]
    pub clusters: u64,
    /// Method of the interval; `None` without an interval, and in files of earlier versions.
    pub method: Option<Method>,
    /// The 95 % interval of the mean; `None` with fewer than [`crate::MIN_CLUSTERS`] clusters.
    pub interval: Option<Interval>,
}

/// A 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end, at least 0.
    pub low: f64,
    /// Upper end, at most 1.
    pub high: f64,
}

impl Estimate {
    /// Whether the interval is based on fewer than [`FEW_CLUSTERS`] clusters, so that tables add a
    /// warning.
    pub fn has_few_clusters(&self) -> bool {
        self.interval.is_some() && self.clusters < FEW_CLUSTERS as u64
    }
}

/// Estimates the mean over samples from one `(cluster, value)` pair per sample, with values from 0
/// to 1. Returns `None` without values.
///
/// Samples of one cluster may be correlated, so only clusters count as independent draws.
pub fn estimate<K: Ord>(values: &[(K, f64)]) -> Option<Estimate> {
    let found = clustered(values)?;
    // Values are exactly 0 or 1 if the scorer does not give partial scores.
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

/// Returns each sample's cluster and mean score, in the order of the samples. `scores` contains the
/// sample, cluster and score of each attempt. A sample's first score determines its cluster.
pub fn sample_means<S: Ord, K>(scores: impl IntoIterator<Item = (S, K, f64)>) -> Vec<(K, f64)> {
    let mut samples: BTreeMap<S, (K, Vec<f64>)> = BTreeMap::new();
    for (sample, cluster, score) in scores {
        let (_, scores) = samples.entry(sample).or_insert((cluster, Vec::new()));
        scores.push(score);
    }
    let means = samples.into_values().map(|(cluster, mut scores)| {
        // Sort the scores, because floating-point sums depend on the order, and attempts finish in
        // any order.
        scores.sort_by(f64::total_cmp);
        (cluster, scores.iter().sum::<f64>() / scores.len() as f64)
    });
    means.collect()
}
