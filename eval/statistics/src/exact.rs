//! Limits of a share by the binomial distribution, which need no approximation.

use statrs::distribution::{Beta, ContinuousCDF};

use crate::quantile::UPPER;

/// The 95 % interval of a chance that came true `hits` times of `n`, which is at least 1.
///
/// C. J. Clopper and E. S. Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial",
/// Biometrika 26 (1934): it holds in at least 95 % of cases, whatever the chance and however few the draws.
pub(crate) fn clopper_pearson(hits: f64, n: f64) -> (f64, f64) {
    let quantile = |p: f64, a: f64, b: f64, end: f64| {
        // Without a hit, or with nothing else, one end is exact.
        Beta::new(a, b).map_or(end, |beta| beta.inverse_cdf(p))
    };
    (
        quantile(1.0 - UPPER, hits, n - hits + 1.0, 0.0),
        quantile(UPPER, hits + 1.0, n - hits, 1.0),
    )
}

/// How much of all may be of a kind that none of `n` draws is of: the upper end of [`clopper_pearson`] without a hit, for a
/// number of draws that need not be whole.
pub(crate) fn unseen(n: f64) -> f64 {
    1.0 - (1.0 - UPPER).powf(n.recip())
}
