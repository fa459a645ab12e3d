//! Interval and test of a difference, computed by one procedure.

use serde::Serialize;

use crate::cluster::Clustered;
use crate::method::{FEW_CLUSTERS, MIN_CLUSTERS, Method};
use crate::quantile::{UPPER, t_quantile, t_two_sided};
use crate::tango::Tango;

/// Maximum difference between mean scores that count as equal.
pub(crate) const TIE: f64 = 1e-12;

/// Interval and p value of a difference, computed by the same method: p is below 0.05 exactly if
/// the 95 % interval excludes 0.
///
/// With fewer than [`MIN_CLUSTERS`] clusters, there is no interval, p value or method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Inference {
    /// The 95 % interval, within -1 and 1.
    pub(crate) interval: Option<[f64; 2]>,
    /// Two-sided p value for the null hypothesis of no difference.
    pub(crate) p: Option<f64>,
    pub(crate) method: Option<Method>,
    pub(crate) few_clusters: bool,
}

impl Inference {
    /// Computes the inference from the differences of clustered samples. `answers` is `Some` if
    /// every score is 0 or 1 and every sample is its own cluster.
    ///
    /// - With `answers`: the score test of [`Tango`].
    /// - Otherwise Student's t with the standard error and degrees of freedom of
    ///   [`crate::clustered`]: A. C. Cameron and D. L. Miller, "A Practitioner's Guide to
    ///   Cluster-Robust Inference", J. Human Resources 50 (2015).
    /// - Clusters that all have the same difference `d` have no spread for a t test. Their
    ///   effective number `G` counts as `G` wins (or losses) of size `|d|`: one end of the interval
    ///   is `|d|` times the lower end of Tango's interval for `G` wins in `G` samples, and the
    ///   other end is equally far from `|d|`. If `d` is 0, they count as `G` ties.
    pub(crate) fn of(found: &Clustered, answers: Option<Tango>) -> Self {
        let clusters = found.clusters.len();
        if clusters < MIN_CLUSTERS {
            return Self::default();
        }
        let decided = match answers {
            Some(tango) => Some((tango.interval(), tango.p(), Method::Tango)),
            None if found.has_spread() => Self::by_t(found),
            None => Some(Self::without_spread(found)),
        };
        let Some((interval, p, method)) = decided else {
            return Self::default();
        };
        Self {
            interval: Some(interval.map(|end| end.clamp(-1.0, 1.0))),
            p: Some(p),
            method: Some(method),
            few_clusters: clusters < FEW_CLUSTERS,
        }
    }

    fn by_t(found: &Clustered) -> Option<([f64; 2], f64, Method)> {
        let error = found.standard_error?;
        let reach = t_quantile(UPPER, found.degrees)? * error;
        let p = t_two_sided(found.mean / error, found.degrees)?;
        let method = if found.is_independent() {
            Method::T
        } else {
            Method::ClusterT
        };
        Some(([found.mean - reach, found.mean + reach], p, method))
    }

    fn without_spread(found: &Clustered) -> ([f64; 2], f64, Method) {
        let count = found.effective_clusters();
        let size = found.mean.abs();
        if size <= TIE {
            let ties = Tango {
                wins: 0.0,
                losses: 0.0,
                samples: count,
            };
            return (ties.interval(), 1.0, Method::NoSpread);
        }
        let wins = Tango {
            wins: count,
            losses: 0.0,
            samples: count,
        };
        let [low, _] = wins.interval();
        let ends = [size * low, size * (2.0 - low)];
        let interval = if found.mean > 0.0 {
            ends
        } else {
            [-ends[1], -ends[0]]
        };
        (interval, wins.p(), Method::NoSpread)
    }
}
