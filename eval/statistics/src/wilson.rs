//! Wilson's interval of a mean score between 0 and 1.

use crate::cluster::Clustered;
use crate::method::{MIN_CLUSTERS, Method};
use crate::quantile::{UPPER, normal_quantile, t_quantile};

/// Returns the 95 % interval of a mean of values from 0 to 1, or `None` with fewer than
/// [`MIN_CLUSTERS`] clusters.
///
/// The interval contains all `p` with `(mean − p)² ≤ p(1−p)·k` (E. B. Wilson, JASA 22, 1927):
///
/// - Independent values of 0 or 1: `k = z²/n`.
/// - Otherwise `k = t²V/(mean(1−mean))` for the variance `V` of the mean, which is `p(1−p)` over
///   the effective number of independent draws (E. L. Korn and B. I. Graubard, Survey Methodology
///   24, 1998; N. Dean and M. Pagano, J. Survey Statistics and Methodology 3, 2015). `V` and its
///   degrees of freedom are those of [`crate::clustered`]. `k` is at most `t²Σw²`, because values
///   between 0 and 1 vary at most as much as values of 0 and 1.
/// - Without spread, `k = z²Σw²`, as if each cluster were one answer that scores 0 or 1.
pub(crate) fn score_interval(found: &Clustered, binary: bool) -> Option<([f64; 2], Method)> {
    if found.clusters.len() < MIN_CLUSTERS {
        return None;
    }
    let z2 = normal_quantile(UPPER).powi(2);
    if binary && found.is_independent() {
        return Some((wilson(found.mean, z2 / found.n), Method::Wilson));
    }
    let most = found.effective_clusters().recip();
    if !found.has_spread() {
        return Some((wilson(found.mean, z2 * most), Method::NoSpread));
    }
    let t2 = t_quantile(UPPER, found.degrees)?.powi(2);
    let variance = found.standard_error?.powi(2);
    let k = t2 * (variance / (found.mean * (1.0 - found.mean))).min(most);
    Some((wilson(found.mean, k), Method::ClusterWilson))
}

/// Returns the two solutions `p` of `(mean − p)² = p(1−p)·k`.
fn wilson(mean: f64, k: f64) -> [f64; 2] {
    let middle = mean + k / 2.0;
    let half = (k * mean * (1.0 - mean) + k * k / 4.0).max(0.0).sqrt();
    // For means of 0 and 1, set the end to its exact value, which rounding would miss.
    let low = if mean <= 0.0 {
        0.0
    } else {
        (middle - half) / (1.0 + k)
    };
    let high = if mean >= 1.0 {
        1.0
    } else {
        (middle + half) / (1.0 + k)
    };
    [low, high]
}
