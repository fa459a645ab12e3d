//! A mean of scores and how far to trust it.

use serde::{Deserialize, Serialize};

use crate::cluster::clustered;
use crate::score_interval::{FEW_CLUSTERS, MIN_CLUSTERS, score_interval};

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
    /// Whether the interval is by the binomial distribution itself, which needs no approximation: each value is a cluster
    /// of its own, and 0 or 1.
    #[serde(default)]
    pub exact: bool,
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
        self.interval.is_some() && !self.exact && self.clusters < FEW_CLUSTERS as u64
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
        exact: binary && found.is_alone(),
        interval: score_interval(&found, binary).map(|(low, high)| Interval { low, high }),
    })
}

/// What a figure of a sample's attempts can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfAttempts {
    /// Right or wrong, as one answer is: the best of such, or whether one of all attempts is right.
    Answer,
    /// A share or chance of right attempts. That it is 0 or 1 for each of a few samples is by chance.
    Chance,
    /// A score between 0 and 1, such as the best of several.
    Fraction,
}

impl OfAttempts {
    /// What a figure is whose values are scores of single attempts: an answer, if all scores are 0 or 1.
    pub fn of_scores(mut scores: impl Iterator<Item = f64>) -> Self {
        if scores.all(|score| [0.0, 1.0].contains(&score)) {
            Self::Answer
        } else {
            Self::Fraction
        }
    }
}

/// The mean of a figure of each sample's attempts, such as the chance that one of two is right, given as cluster, that figure
/// and the mean score of these attempts. None without values.
///
/// The interval is that of [`estimate`], and at least as wide as the one of the mean score allows: as many samples as may be
/// right throughout by that one, or wrong throughout, may be so by this figure. Where attempts repeat one answer, a sample
/// of a kind that is unseen in the mean has more weight in such a figure. [`OfAttempts::Fraction`]s show how they vary, and
/// do without. Unless each is an answer, there is no interval with fewer than [`MIN_CLUSTERS`] clusters: one that is there
/// only where all happen to be 0 or 1 would hold too seldom.
pub fn estimate_of_attempts<K: Ord>(
    values: &[(K, f64, f64)],
    of_attempts: OfAttempts,
) -> Option<Estimate> {
    let column = |of: fn(&(K, f64, f64)) -> f64| -> Vec<(&K, f64)> {
        values.iter().map(|value| (&value.0, of(value))).collect()
    };
    let mut found = estimate(&column(|value| value.1))?;
    if of_attempts != OfAttempts::Answer && found.clusters < MIN_CLUSTERS as u64 {
        found.interval = None;
        found.exact = false;
    }
    let score = estimate(&column(|value| value.2))?;
    if let (Some(interval), Some(scores)) = (&mut found.interval, score.interval)
        && !found.exact
        && of_attempts != OfAttempts::Fraction
    {
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let wrong = share(score.mean - scores.low, score.mean);
        let right = share(scores.high - score.mean, 1.0 - score.mean);
        interval.low = interval.low.min(found.mean * (1.0 - wrong));
        interval.high = interval.high.max(found.mean + (1.0 - found.mean) * right);
    }
    Some(found)
}
