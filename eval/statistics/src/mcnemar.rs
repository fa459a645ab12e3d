//! McNemar's test of paired scores of 0 or 1.

use statrs::distribution::{Binomial, DiscreteCDF};

/// Returns the exact two-sided p value, which is 1 if the runs never differ. `wins` is the number
/// of samples on which only one run is correct, `losses` the number on which only the other is.
///
/// The p value is twice the probability of at most `min(wins, losses)` heads in `wins + losses`
/// fair coin tosses, but at most 1: Q. McNemar, "Note on the Sampling Error of the Difference
/// Between Correlated Proportions", Psychometrika 12 (1947), in its exact form.
pub fn mcnemar(wins: u64, losses: u64) -> f64 {
    // This never fails, because 0.5 is a valid probability.
    let Ok(throws) = Binomial::new(0.5, wins + losses) else {
        return 1.0;
    };
    (2.0 * throws.cdf(wins.min(losses))).min(1.0)
}
