//! Quantiles and tail probabilities of the distributions that tests and intervals use.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Probability below the upper end of a two-sided 95 % interval.
pub(crate) const UPPER: f64 = 0.975;

/// Returns the probability below the upper critical value of a two-sided test at `level`, which is
/// [`UPPER`] at 0.05.
pub(crate) fn upper(level: f64) -> f64 {
    1.0 - level / 2.0
}

/// Returns the quantile of the standard normal distribution at `p`, which is between 0 and 1.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    Normal::standard().inverse_cdf(p)
}

/// Returns the quantile of Student's t distribution at `p`, which is between 0 and 1. Returns
/// `None` below 1 degree of freedom.
pub(crate) fn t_quantile(p: f64, degrees: f64) -> Option<f64> {
    let t = StudentsT::new(0.0, 1.0, degrees).ok()?;
    (degrees >= 1.0).then(|| t.inverse_cdf(p))
}

/// Returns the two-sided p value of a t statistic, or `None` below 1 degree of freedom.
pub(crate) fn t_two_sided(t: f64, degrees: f64) -> Option<f64> {
    let distribution = StudentsT::new(0.0, 1.0, degrees).ok()?;
    (degrees >= 1.0).then(|| (2.0 * distribution.cdf(-t.abs())).min(1.0))
}

/// Returns the two-sided p value of a standard normal statistic.
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    (2.0 * Normal::standard().cdf(-z.abs())).min(1.0)
}
