//! Statistics of several attempts at one sample.

/// Returns an unbiased estimate of the probability that at least one of `k` attempts is correct,
/// given that `right` of `n` attempts were. Returns `None` if `n` is less than `k`, or `k` is 0.
///
/// With `c` for `right`, the estimate is `1 − C(n−c, k)/C(n, k)`: M. Chen et al., "Evaluating Large
/// Language Models Trained on Code", arXiv:2107.03374 (2021). Their product of terms `1 − k/i`
/// never overflows.
pub fn pass_at_k(n: u32, right: u32, k: u32) -> Option<f64> {
    Some(1.0 - none_drawn(n, right, k)?)
}

/// Returns an unbiased estimate of the probability that all of `k` attempts are correct, given that
/// `right` of `n` attempts were. Returns `None` in the same cases as [`pass_at_k`].
///
/// With `c` for `right`, the estimate is `C(c, k)/C(n, k)`: S. Yao et al., "τ-bench",
/// arXiv:2406.12045 (2024), where it is called pass^k.
pub fn pass_hat_k(n: u32, right: u32, k: u32) -> Option<f64> {
    // All `k` attempts are correct if no incorrect attempt is drawn.
    none_drawn(n, n.checked_sub(right)?, k)
}

/// Returns the probability that `k` draws without replacement from `n` contain none of the
/// `marked` ones: with `m` for `marked`, `C(n−m, k)/C(n, k)`.
fn none_drawn(n: u32, marked: u32, k: u32) -> Option<f64> {
    if k == 0 || k > n || marked > n {
        return None;
    }
    if n - marked < k {
        return Some(0.0);
    }
    let factors = (n - marked + 1..=n).map(|i| 1.0 - f64::from(k) / f64::from(i));
    Some(factors.product())
}

/// Returns the best of several scores, or `None` without scores.
pub fn best_of(scores: &[f64]) -> Option<f64> {
    scores.iter().copied().max_by(f64::total_cmp)
}
