//! Standard error of a mean of clustered values.

use std::collections::BTreeMap;

/// Mean of clustered values, with its standard error.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustered {
    /// Mean of all values.
    pub mean: f64,
    /// Number of values.
    pub n: f64,
    /// Sum and number of values of each cluster, in the order of the clusters' keys.
    pub clusters: Vec<(f64, f64)>,
    /// Standard error of the mean; `None` with a single cluster.
    pub standard_error: Option<f64>,
    /// Degrees of freedom of the standard error: `G − 1` for `G` clusters of equal size, fewer if
    /// sizes differ.
    pub degrees: f64,
}

impl Clustered {
    /// Whether each value is its own cluster.
    pub(crate) fn is_independent(&self) -> bool {
        self.clusters.len() as f64 >= self.n
    }

    /// Whether the clusters' means differ by more than rounding errors.
    pub(crate) fn has_spread(&self) -> bool {
        self.standard_error.is_some_and(|error| error > 0.0)
    }

    /// Returns the number of equally sized clusters that would carry as much information: `1/Σw²`,
    /// where `w` are the clusters' shares of the values.
    pub(crate) fn effective_clusters(&self) -> f64 {
        let shares = self.clusters.iter().map(|(_, size)| size / self.n);
        shares.map(|share| share * share).sum::<f64>().recip()
    }
}

/// Returns the mean of `(cluster, value)` pairs with its clustered standard error. Returns `None`
/// without values.
///
/// The variance is cluster-robust, with the small-sample correction of R. M. Bell and D. F.
/// McCaffrey (Survey Methodology 28, 2002; "CR2" in J. E. Pustejovsky and E. Tipton, J. Business
/// and Economic Statistics 36, 2018) for a regression on a constant, and with Satterthwaite's
/// degrees of freedom. It is unbiased if the clusters' means have equal variance. For `G` clusters
/// of one size, the standard error is `√(G/(G−1) Σ_g (Σ_{i∈g} (x_i − mean))²) / n` with `G − 1`
/// degrees of freedom; with one value per cluster, it is `s/√n`.
pub fn clustered<K: Ord>(values: &[(K, f64)]) -> Option<Clustered> {
    let mut groups: BTreeMap<&K, Vec<f64>> = BTreeMap::new();
    for (cluster, value) in values {
        groups.entry(cluster).or_default().push(*value);
    }
    if groups.is_empty() {
        return None;
    }
    let clusters: Vec<(f64, f64)> = groups
        .into_values()
        .map(|mut values| {
            // Sort the values, because floating-point sums depend on their order, but results must
            // not.
            values.sort_by(f64::total_cmp);
            (values.iter().sum(), values.len() as f64)
        })
        .collect();
    let n = values.len() as f64;
    let mean = clusters.iter().map(|(sum, _)| sum).sum::<f64>() / n;
    let (standard_error, degrees) = standard_error(&clusters, mean, n).unzip();
    Some(Clustered {
        mean,
        n,
        clusters,
        standard_error,
        degrees: degrees.unwrap_or_default(),
    })
}

/// Standard errors below this value are rounding errors of equal values.
const NO_SPREAD: f64 = 1e-14;

/// Returns the standard error of the mean of `n` values, and its degrees of freedom. Each cluster
/// is a pair: the sum of its values, and their number. Returns `None` with fewer than two clusters.
///
/// With the clusters' shares `w` of the values, `e = (I − 1wᵀ)y` and `D = diag(w²)`, the sum of
/// squared deviations `eᵀDe` is a quadratic form `yᵀAy`. If all means `y` have equal variance, the
/// expectation of the form is `tr A` times that variance, and it has `(tr A)²/tr A²` degrees of
/// freedom.
pub(crate) fn standard_error(clusters: &[(f64, f64)], mean: f64, n: f64) -> Option<(f64, f64)> {
    if clusters.len() < 2 {
        return None;
    }
    let count = clusters.len() as f64;
    let squares: f64 = clusters
        .iter()
        .map(|(sum, size)| ((sum - size * mean) / n).powi(2))
        .sum();
    let first = clusters[0].1;
    let (correction, degrees) = if clusters.iter().all(|(_, size)| (size - first).abs() < 0.5) {
        (count / (count - 1.0), count - 1.0)
    } else {
        let sum = |power: i32| -> f64 {
            let terms = clusters.iter().map(|(_, size)| (size / n).powi(power));
            terms.sum()
        };
        let (w2, w3, w4) = (sum(2), sum(3), sum(4));
        let trace = w2 - 2.0 * w3 + w2 * w2;
        // Elements of A = D − (D1)wᵀ − w(D1)ᵀ + w2·wwᵀ.
        let squared =
            w4 + 2.0 * (w4 * w2 + w3 * w3) + w2.powi(4) - 4.0 * w2 * w3 * w2 - 4.0 * sum(5)
                + 2.0 * w2 * w4;
        let degrees = (trace * trace / squared).clamp(1.0, count - 1.0);
        (w2 / trace, degrees)
    };
    let error = (correction * squares).sqrt();
    Some((if error < NO_SPREAD { 0.0 } else { error }, degrees))
}
