//! A mean of scores and how far to trust it.

use serde::{Deserialize, Serialize};

use super::cluster::clustered;
use super::score_interval::{FEW_CLUSTERS, MIN_CLUSTERS, score_interval};

/// A mean with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean of the values.
    pub mean: f64,
    /// Standard error of the mean, clustered; none with a single cluster, which shows nothing of the others.
    pub standard_error: Option<f64>,
    /// Clusters of the values: independent draws. 0 in files of versions that did not write it.
    #[serde(default)]
    pub clusters: u64,
    /// The 95 % interval of the mean; where there is none, [`Self::no_interval`] says why.
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

/// Why a figure has no interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoInterval {
    /// There are fewer than [`MIN_CLUSTERS`] clusters.
    TooFew {
        /// How many there are.
        clusters: u64,
    },
    /// All clusters are alike, which shows no variance.
    AllAlike,
}

impl NoInterval {
    /// Why a figure of so many clusters has no interval.
    pub fn of(clusters: u64) -> Self {
        if clusters < MIN_CLUSTERS as u64 {
            Self::TooFew { clusters }
        } else {
            Self::AllAlike
        }
    }
}

impl Estimate {
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

/// The mean of values from 0 to 1, each with the cluster it belongs to. None without values.
///
/// Values of one cluster (attempts at one sample) may be alike, so only clusters count as independent draws. The interval
/// is [`score_interval`]'s.
pub fn estimate<K: Ord>(values: &[(K, f64)]) -> Option<Estimate> {
    let found = clustered(values)?;
    // Exactly 0 or 1: scores of scorers that know only right and wrong.
    let binary = values.iter().all(|(_, value)| [0.0, 1.0].contains(value));
    Some(Estimate {
        mean: found.mean,
        standard_error: found.standard_error,
        clusters: found.clusters.len() as u64,
        interval: score_interval(&found, binary).map(|(low, high)| Interval { low, high }),
    })
}
