//! McNemar's test of paired scores of 0 or 1.

use statrs::distribution::{Binomial, DiscreteCDF};

/// Returns the exact two-sided p value, where only one run was correct on `wins` samples, and only
/// the other on `losses`. The p value is 1 if the runs never differ.
///
/// It is twice the probability that `wins + losses` fair coin tosses give at most the smaller of
/// the two counts, at most 1: Q. McNemar, "Note on the Sampling Error of the Difference Between
/// Correlated Proportions", Psychometrika 12 (1947), in its exact form.
pub fn mcnemar(wins: u64, losses: u64) -> f64 {
    // A probability of 0.5 is always valid.
    let Ok(throws) = Binomial::new(0.5, wins + losses) else {
        return 1.0;
    };
    (2.0 * throws.cdf(wins.min(losses))).min(1.0)
}
