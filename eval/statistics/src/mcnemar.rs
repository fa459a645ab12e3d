//! McNemar's test of paired right and wrong answers.

use statrs::distribution::{Binomial, DiscreteCDF};

/// The exact two-sided p value where one run alone was right `wins` times, and the other alone `losses` times.
///
/// Twice what a binomial distribution of `wins + losses` fair throws has up to the smaller of them, at most 1:
/// Q. McNemar, "Note on the Sampling Error of the Difference Between Correlated Proportions", Psychometrika 12 (1947),
/// in its exact form. 1 where the runs never differ.
pub fn mcnemar(wins: u64, losses: u64) -> f64 {
    // A fair coin is always a binomial distribution.
    let Ok(throws) = Binomial::new(0.5, wins + losses) else {
        return 1.0;
    };
    (2.0 * throws.cdf(wins.min(losses))).min(1.0)
}
