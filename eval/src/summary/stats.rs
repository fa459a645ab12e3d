//! Means of scores and how far to trust them. Each formula names its source.

use std::collections::BTreeMap;
use std::hash::Hash;

use serde::{Deserialize, Serialize};

/// The 97.5 % quantile of the standard normal distribution, for two-sided intervals of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A mean with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean of the values.
    pub mean: f64,
    /// Standard error of the mean, clustered; none with a single cluster, which tells nothing of the others.
    pub standard_error: Option<f64>,
    /// The 95 % interval of the mean; none where it cannot be told.
    pub interval: Option<Interval>,
}

/// A 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end, at least 0.
    pub low: f64,
    /// The upper end, at most 1.
    pub high: f64,
    /// How it was computed.
    pub method: IntervalMethod,
}

/// How an interval was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IntervalMethod {
    /// Wilson's score interval, for values that are all 0 or 1.
    Wilson,
    /// The mean ± 1.96 standard errors, cut to 0…1.
    Normal,
}

/// The mean of values from 0 to 1, each with the cluster it belongs to. `None` without values.
///
/// Values of one cluster (attempts at one sample) may be alike, so only clusters count as independent draws. Where all
/// values are 0 or 1, the interval is [`wilson`]'s over the [`effective_size`]; else it is normal.
pub fn estimate<K: Ord + Hash>(values: &[(K, f64)]) -> Option<Estimate> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().map(|(_, value)| value).sum::<f64>() / n;
    let (standard_error, clusters) = clustered_standard_error(values, mean);
    // Exactly 0 or 1: scores of scorers that know only right and wrong.
    let binary = values.iter().all(|(_, value)| [0.0, 1.0].contains(value));
    let interval = if binary {
        let size = effective_size(mean, n, clusters, standard_error);
        let (low, high) = wilson(mean, size);
        Some((low, high, IntervalMethod::Wilson))
    } else {
        standard_error.map(|error| {
            let (low, high) = (mean - Z * error, mean + Z * error);
            (low.max(0.0), high.min(1.0), IntervalMethod::Normal)
        })
    };
    Some(Estimate {
        mean,
        standard_error,
        interval: interval.map(|(low, high, method)| Interval { low, high, method }),
    })
}

/// Wilson's score interval for a proportion `p` of `n` draws, at 95 %.
///
/// `(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)`, from E. B. Wilson, "Probable Inference, the Law of Succession,
/// and Statistical Inference", JASA 22 (1927). Unlike the normal interval, it stays within 0…1 and has a width when all
/// draws agree.
fn wilson(p: f64, n: f64) -> (f64, f64) {
    let z2 = Z * Z;
    let middle = p + z2 / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    // At p = 0 and p = 1 one end is exact, and rounding would miss it.
    let low = if p <= 0.0 {
        0.0
    } else {
        (middle - half) / scale
    };
    let high = if p >= 1.0 {
        1.0
    } else {
        (middle + half) / scale
    };
    (low, high)
}

/// The standard error of a mean of clustered values, and the number of clusters `G`. None if `G` is 1.
///
/// `√(G/(G−1) Σ_g (Σ_{i∈g} (x_i − mean))²) / n`: the cluster-robust variance with its finite-sample factor, from
/// A. C. Cameron and D. L. Miller, "A Practitioner's Guide to Cluster-Robust Inference", J. Human Resources 50 (2015),
/// for a regression on a constant; for evaluations, E. Miller, "Adding Error Bars to Evals", arXiv:2411.00640 (2024).
/// With one value per cluster it is the usual `s/√n`.
fn clustered_standard_error<K: Ord>(values: &[(K, f64)], mean: f64) -> (Option<f64>, f64) {
    let mut deviations: BTreeMap<&K, f64> = BTreeMap::new();
    for (cluster, value) in values {
        *deviations.entry(cluster).or_default() += value - mean;
    }
    let clusters = deviations.len() as f64;
    if deviations.len() < 2 {
        return (None, clusters);
    }
    let squares: f64 = deviations
        .values()
        .map(|deviation| deviation * deviation)
        .sum();
    let error = (clusters / (clusters - 1.0) * squares).sqrt() / values.len() as f64;
    (Some(error), clusters)
}

/// The number of independent draws that tell as much about the proportion `p` as `n` clustered ones.
///
/// `n / deff`, where the design effect `deff` is the clustered variance over that of independent draws,
/// `p(1−p)/(n−1)`: L. Kish, "Survey Sampling" (1965); that Wilson's interval over it covers as it should,
/// N. Dean and M. Pagano, J. Survey Statistics and Methodology 3 (2015). Never more than `n`. Where all values agree
/// they show no variance to go by, and each cluster counts once.
fn effective_size(p: f64, n: f64, clusters: f64, standard_error: Option<f64>) -> f64 {
    match standard_error {
        Some(error) if error > 0.0 => {
            let independent = p * (1.0 - p) / (n - 1.0);
            (n * independent / (error * error)).min(n)
        }
        Some(_) | None => clusters,
    }
}

#[cfg(test)]
mod tests {
    use super::IntervalMethod::{Normal, Wilson};
    use super::*;

    /// Compares with figures of other programs to 12 digits, which leaves room for another order of summing.
    fn check(
        name: &str,
        values: &[(u32, f64)],
        mean: f64,
        error: Option<f64>,
        interval: Option<(f64, f64)>,
        method: IntervalMethod,
    ) {
        let estimate = estimate(values).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(estimate.mean, mean), "{name}: {estimate:?}");
        match (estimate.standard_error, error) {
            (Some(found), Some(error)) => assert!(near(found, error), "{name}: {estimate:?}"),
            (found, error) => assert_eq!(found, error, "{name}"),
        }
        match (estimate.interval, interval) {
            (Some(found), Some((low, high))) => {
                assert!(
                    near(found.low, low) && near(found.high, high),
                    "{name}: {estimate:?}"
                );
                assert_eq!(found.method, method, "{name}");
            }
            (found, interval) => {
                assert!(found.is_none() && interval.is_none(), "{name}: {found:?}");
            }
        }
    }

    /// `right` ones and then zeros, one cluster each.
    fn binary(right: u32, n: u32) -> Vec<(u32, f64)> {
        (0..n)
            .map(|i| (i, if i < right { 1.0 } else { 0.0 }))
            .collect()
    }

    /// Name, values with the cluster of each, and what is to come of them: mean, standard error and interval.
    type Row<'a> = (
        &'a str,
        (&'a [f64], &'a [u32]),
        f64,
        Option<f64>,
        (f64, f64),
    );

    /// `values[i]` in cluster `clusters[i]`.
    fn clustered(values: &[f64], clusters: &[u32]) -> Vec<(u32, f64)> {
        clusters
            .iter()
            .copied()
            .zip(values.iter().copied())
            .collect()
    }

    #[test]
    fn wilson_agrees_with_statsmodels() {
        // statsmodels 0.15.0: proportion_confint(right, n, method="wilson").
        let rows = [
            (0, 1, 0.0, 0.793_450_685_622_762_7),
            (1, 1, 0.206_549_314_377_237_4, 1.0),
            (0, 10, 0.0, 0.277_532_799_862_889_26),
            (10, 10, 0.722_467_200_137_110_6, 1.0),
            (37, 40, 0.801_357_664_756_894_6, 0.974_163_974_225_411_9),
            (13, 20, 0.432_854_276_685_236_24, 0.818_808_175_898_918),
            (8, 20, 0.218_806_532_372_817_05, 0.613_418_499_237_746_9),
            (
                1,
                1000,
                0.000_176_546_370_626_077_65,
                0.005_642_558_597_957_937,
            ),
        ];
        for (right, n, low, high) in rows {
            let (p, size) = (f64::from(right) / f64::from(n), f64::from(n));
            // scipy 1.17.1: stats.sem of the same zeros and ones, in closed form.
            let error = (n > 1).then(|| (p * (1.0 - p) / (size - 1.0)).sqrt());
            check(
                &format!("{right}/{n}"),
                &binary(right, n),
                p,
                error,
                Some((low, high)),
                Wilson,
            );
        }
    }

    #[test]
    fn clustered_estimates_agree_with_statsmodels() {
        // statsmodels 0.15.0: OLS(values, ones).fit(cov_type="cluster", cov_kwds={"groups": clusters,
        // "use_correction": True}) gives mean (params), error (bse) and the normal interval (conf_int, here cut to
        // 0…1). The first row's error is scipy 1.17.1's stats.sem too.
        let rows: [Row; 3] = [
            (
                "one value each",
                (&[0.25, 0.5, 1.0, 0.0, 0.75, 0.5], &[0, 1, 2, 3, 4, 5]),
                0.5,
                Some(0.144_337_567_297_406_46),
                (0.217_103_566_480_956_97, 0.782_896_433_519_043_3),
            ),
            (
                "clusters of several sizes",
                (&[0.2, 0.4, 0.9, 1.0, 0.5, 0.5, 0.1], &[0, 0, 1, 1, 1, 2, 3]),
                0.514_285_714_285_714_1,
                Some(0.172_236_515_255_282_27),
                (0.176_708_347_562_677_28, 0.851_863_081_008_751),
            ),
            (
                "near the end",
                (&[1.0, 1.0, 1.0, 0.9], &[0, 1, 2, 3]),
                0.975,
                Some(0.025),
                (0.926_000_900_386_498_6, 1.0),
            ),
        ];
        for (name, (values, clusters), mean, error, interval) in rows {
            check(
                name,
                &clustered(values, clusters),
                mean,
                error,
                Some(interval),
                Normal,
            );
        }
    }

    #[test]
    fn attempts_at_one_sample_are_not_independent() {
        // Mean p and error as above; the interval is proportion_confint(p * size, size, method="wilson") with
        // size = min(n, n * p * (1 - p) / (n - 1) / error**2), or the number of clusters where p is 0 or 1 or there is
        // only one cluster.
        let rows: [Row; 5] = [
            (
                "size 7.6 of 10",
                (
                    &[1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0],
                    &[0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
                ),
                0.6,
                Some(0.187_082_869_338_697),
                (0.280_877_371_409_690_1, 0.852_084_424_984_000_5),
            ),
            (
                "attempts all alike: size 4.4 of 10",
                (
                    &[1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0],
                    &[0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
                ),
                0.6,
                Some(0.244_948_974_278_317_72),
                (0.216_864_691_505_423_42, 0.890_412_555_216_577_5),
            ),
            (
                "attempts that differ on purpose: no more than 8",
                (
                    &[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0],
                    &[0, 0, 1, 1, 2, 2, 3, 3],
                ),
                0.625,
                Some(0.125),
                (0.305_742_394_602_627_14, 0.863_155_714_176_402_6),
            ),
            (
                "all right: 5 clusters",
                (&[1.0; 10], &[0, 0, 1, 1, 2, 2, 3, 3, 4, 4]),
                1.0,
                Some(0.0),
                (0.565_517_535_216_825_2, 1.0),
            ),
            (
                "one sample",
                (&[1.0, 1.0, 0.0, 1.0], &[7, 7, 7, 7]),
                0.75,
                None,
                (0.117_909_587_999_509_51, 0.985_365_069_189_109_2),
            ),
        ];
        for (name, (values, clusters), mean, error, interval) in rows {
            check(
                name,
                &clustered(values, clusters),
                mean,
                error,
                Some(interval),
                Wilson,
            );
        }
    }

    #[test]
    fn little_is_said_of_little() {
        assert_eq!(estimate::<u32>(&[]), None);
        check("one fraction", &[(0, 0.5)], 0.5, None, None, Normal);
        check(
            "fractions of one sample",
            &[(0, 0.25), (0, 0.75)],
            0.5,
            None,
            None,
            Normal,
        );
    }
}
