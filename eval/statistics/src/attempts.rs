//! Statistics of several attempts at one sample.

/// The chance that at least one of `k` attempts is right, of which `n` were made and `right` of them were. None if fewer
/// than `k` were made, or `k` is 0.
///
/// `1 − C(n−c, k)/C(n, k)`, which is unbiased: M. Chen et al., "Evaluating Large Language Models Trained on Code",
/// arXiv:2107.03374 (2021), as their product of `1 − k/i`, which never overflows.
pub fn pass_at_k(n: u32, right: u32, k: u32) -> Option<f64> {
    Some(1.0 - none_drawn(n, right, k)?)
}

/// The chance that all of `k` attempts are right, of which `n` were made and `right` of them were. None as for
/// [`pass_at_k`].
///
/// `C(c, k)/C(n, k)`, which is unbiased: S. Yao et al., "τ-bench", arXiv:2406.12045 (2024), where it is called pass^k.
pub fn pass_hat_k(n: u32, right: u32, k: u32) -> Option<f64> {
    // All are right where none of the wrong ones is drawn.
    none_drawn(n, n.checked_sub(right)?, k)
}

/// The chance that `k` draws without replacement from `n` hold none of `marked`: `C(n−m, k)/C(n, k)`.
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

/// The best of several scores. None without any.
pub fn best_of(scores: &[f64]) -> Option<f64> {
    scores.iter().copied().max_by(f64::total_cmp)
}
