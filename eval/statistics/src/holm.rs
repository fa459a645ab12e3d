//! Correction of p values for multiple comparisons.

/// Returns Holm's adjusted p values, in the order of `values`.
///
/// With the `m` values in ascending order, the i-th (from 1) becomes the maximum of
/// `(m − j + 1) p_j` for `j ≤ i`, at most 1: S. Holm, "A Simple Sequentially Rejective Multiple
/// Test Procedure", Scand. J. Statistics 6 (1979). If every difference with an adjusted p value of
/// at most 0.05 is reported as real, the probability of any false report is at most 0.05.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut adjusted = vec![0.0; values.len()];
    let mut largest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let factor = (values.len() - rank) as f64;
        largest = largest.max((factor * values[index]).min(1.0));
        adjusted[index] = largest;
    }
    adjusted
}
