//! The standard error of a mean whose values come in clusters.

use std::collections::BTreeMap;

/// A mean of clustered values, and what it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustered {
    /// Mean of all values.
    pub mean: f64,
    /// Number of values.
    pub n: f64,
    /// Sum and number of each cluster's values, in the order of the clusters' keys.
    pub clusters: Vec<(f64, f64)>,
    /// Standard error of the mean. `None` with one cluster, which says nothing about the others.
    pub standard_error: Option<f64>,
}

impl Clustered {
    /// Whether each value is a cluster of its own.
    pub(crate) fn is_alone(&self) -> bool {
        self.clusters.len() as f64 >= self.n
    }

    /// How many clusters of one size are worth as much as these: `1/Σw²`, `w` being their shares of the values.
    pub(crate) fn draws(&self) -> f64 {
        let shares = self.clusters.iter().map(|(_, size)| size / self.n);
        shares.map(|share| share * share).sum::<f64>().recip()
    }
}

/// The mean of values, each with the cluster it belongs to, and its clustered standard error. None without values.
///
/// The error is `√(G/(G−1) Σ_g (Σ_{i∈g} (x_i − mean))²) / n` for `G` clusters: the cluster-robust variance with its
/// finite-sample factor, from A. C. Cameron and D. L. Miller, "A Practitioner's Guide to Cluster-Robust Inference",
/// J. Human Resources 50 (2015), for a regression on a constant; for evaluations, E. Miller, "Adding Error Bars to
/// Evals", arXiv:2411.00640 (2024). With one value per cluster it is the usual `s/√n`.
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
            // Sums of floats depend on their order, and figures must not.
            values.sort_by(f64::total_cmp);
            (values.iter().sum(), values.len() as f64)
        })
        .collect();
    let n = values.len() as f64;
    let mean = clusters.iter().map(|(sum, _)| sum).sum::<f64>() / n;
    let standard_error = (clusters.len() > 1).then(|| standard_error(&clusters, mean, n));
    Some(Clustered {
        mean,
        n,
        clusters,
        standard_error,
    })
}

/// That of the mean of `n` values in at least two clusters, given as sum and number of each one's values.
pub(crate) fn standard_error(clusters: &[(f64, f64)], mean: f64, n: f64) -> f64 {
    let count = clusters.len() as f64;
    let deviation = |(sum, size): &(f64, f64)| sum - size * mean;
    let squares: f64 = clusters.iter().map(|group| deviation(group).powi(2)).sum();
    let error = (count / (count - 1.0) * squares).sqrt() / n;
    // What rounding leaves where all clusters agree is no variance.
    if error < 1e-14 { 0.0 } else { error }
}
