//! The difference between two runs, with its interval and p values.

use serde::Serialize;
use statistics::{Method, Paired};

/// Significance level: the maximum probability of a finding if there is no difference.
pub const SIGNIFICANT: f64 = 0.05;

/// The difference between two runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// Means, difference, interval and p value, computed by one method.
    #[serde(flatten)]
    pub paired: Paired,
    /// P value after Holm's correction over the family; equals `p` for a single comparison.
    pub p_holm: Option<f64>,
    /// Smallest true difference that a test with this much data detects 4 times out of 5, at the
    /// significance level that Holm's correction leaves to this comparison. `None` if even a
    /// difference of 1 is detected less often, or if the variance is unknown.
    pub detectable: Option<f64>,
}

impl Difference {
    /// Returns the name of the method that computed the interval and the p value, or `no test`.
    pub fn method(&self) -> &'static str {
        self.paired.method().map_or("no test", Method::name)
    }
}

/// Formats the interval of a difference: `[-0.007, +0.507]`.
pub fn interval_text(difference: &Difference) -> Option<String> {
    let [low, high] = difference.paired.interval()?;
    Some(format!("[{low:+.3}, {high:+.3}]"))
}

/// Formats a p value with three decimals: `0.031`, `<0.001`. A p value just below 0.05 has more
/// decimals, because as 0.050 it would contradict its verdict.
pub fn p_text(p: f64) -> String {
    const MOST_DECIMALS: usize = 9;
    if p < 0.001 {
        return "<0.001".to_owned();
    }
    let rounds_up = |decimals: usize| format!("{p:.decimals$}").starts_with("0.05");
    let decimals = (3..MOST_DECIMALS).find(|decimals| p >= SIGNIFICANT || !rounds_up(*decimals));
    let decimals = decimals.unwrap_or(MOST_DECIMALS);
    format!("{p:.decimals$}")
}
