//! Compares the statistics with figures from SciPy and statsmodels in `tests/reference.json`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../examples/coverage/agreement.rs"]
mod agreement;
mod races;

use serde::Deserialize;
use statistics::{
    Method, Pair, Tango, best_of, clustered, detectable, estimate, holm, mcnemar, paired,
    pass_at_k, pass_hat_k, sample_means,
};

/// Tolerance where only the order of floating-point operations differs.
const TOLERANCE: f64 = 1e-9;

/// Tolerance for quantiles of Student's t, and for SciPy's maximum-likelihood search.
const SEARCH: f64 = 1e-6;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    #[serde(rename = "made_by")]
    _made_by: String,
    means: Vec<MeanCase>,
    pairs: Vec<PairedCase>,
    tango: Vec<TangoCase>,
    mcnemar: Vec<McnemarCase>,
    holm: Vec<HolmCase>,
    powers: Vec<PowerCase>,
    pass: Vec<PassCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MeanCase {
    name: String,
    values: Vec<f64>,
    clusters: Vec<u32>,
    mean: f64,
    standard_error: Option<f64>,
    interval: Option<[f64; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairedCase {
    name: String,
    first: Vec<f64>,
    second: Vec<f64>,
    clusters: Vec<u32>,
    difference: f64,
    standard_error: Option<f64>,
    interval: Option<[f64; 2]>,
    p: Option<f64>,
    wins: u64,
    losses: u64,
    ties: u64,
    mcnemar_p: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TangoCase {
    source: String,
    wins: f64,
    losses: f64,
    samples: f64,
    interval: [f64; 2],
    p: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct McnemarCase {
    wins: u64,
    losses: u64,
    p: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HolmCase {
    values: Vec<f64>,
    adjusted: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PowerCase {
    samples: u32,
    differing: u32,
    level: f64,
    detectable: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PassCase {
    n: u32,
    right: u32,
    /// For k = 1, 2, …: probability that at least one of `k` attempts is correct, and that all are.
    pass: Vec<[f64; 2]>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../reference.json")).unwrap()
}

fn near(
    found: impl IntoIterator<Item = f64>,
    wanted: impl IntoIterator<Item = f64>,
    within: f64,
    what: &str,
) {
    let (found, wanted): (Vec<f64>, Vec<f64>) =
        (found.into_iter().collect(), wanted.into_iter().collect());
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= within;
    assert!(
        found.len() == wanted.len() && found.iter().zip(&wanted).all(close),
        "{what}: {found:?} instead of {wanted:?}"
    );
}

fn zip(clusters: &[u32], values: &[f64]) -> Vec<(u32, f64)> {
    clusters
        .iter()
        .copied()
        .zip(values.iter().copied())
        .collect()
}

#[test]
fn means_errors_and_intervals_match_reference() {
    for case in reference().means {
        let found = estimate(&zip(&case.clusters, &case.values)).unwrap();
        near([found.mean], [case.mean], TOLERANCE, &case.name);
        near(
            found.standard_error,
            case.standard_error,
            TOLERANCE,
            &case.name,
        );
        let ends = found.interval.map(|found| [found.low, found.high]);
        near(
            ends.into_iter().flatten(),
            case.interval.into_iter().flatten(),
            SEARCH,
            &case.name,
        );
    }
}

#[test]
fn paired_differences_match_reference() {
    for case in reference().pairs {
        let pairs: Vec<Pair<u32>> = case
            .clusters
            .iter()
            .zip(case.first.iter().zip(&case.second))
            .map(|(&cluster, (&first, &second))| Pair {
                cluster,
                first,
                second,
            })
            .collect();
        let found = paired(&pairs).unwrap();
        let name = &case.name;
        near([found.difference], [case.difference], TOLERANCE, name);
        near(
            [found.second - found.first],
            [case.difference],
            TOLERANCE,
            name,
        );
        near(found.standard_error, case.standard_error, TOLERANCE, name);
        near(
            found.interval().into_iter().flatten(),
            case.interval.into_iter().flatten(),
            SEARCH,
            name,
        );
        near(found.p(), case.p, SEARCH, name);
        near(found.mcnemar_p, case.mcnemar_p, TOLERANCE, name);
        assert_eq!(
            (found.wins, found.losses, found.ties, found.samples),
            (case.wins, case.losses, case.ties, pairs.len() as u64),
            "{name}"
        );

        // Exchanging the runs mirrors all figures.
        let turned: Vec<Pair<u32>> = pairs
            .iter()
            .rev()
            .map(|pair| Pair {
                first: pair.second,
                second: pair.first,
                ..*pair
            })
            .collect();
        let turned = paired(&turned).unwrap();
        assert_eq!(
            (turned.wins, turned.losses),
            (found.losses, found.wins),
            "{name}"
        );
        near([turned.difference], [-found.difference], TOLERANCE, name);
        near(turned.p(), found.p(), TOLERANCE, name);
    }
    assert_eq!(paired::<u32>(&[]), None);
}

#[test]
fn mcnemar_matches_reference() {
    for McnemarCase { wins, losses, p } in reference().mcnemar {
        near(
            [mcnemar(wins, losses), mcnemar(losses, wins)],
            [p, p],
            TOLERANCE,
            &format!("{wins}, {losses}"),
        );
    }
}

#[test]
fn holm_matches_reference() {
    for HolmCase { values, adjusted } in reference().holm {
        near(holm(&values), adjusted, TOLERANCE, &format!("{values:?}"));
    }
    assert_eq!(holm(&[]), Vec::<f64>::new());
}

#[test]
fn pass_at_k_and_pass_hat_k_match_reference() {
    for PassCase { n, right, pass } in reference().pass {
        for (k, wanted) in (1..).zip(pass) {
            let found = [pass_at_k(n, right, k), pass_hat_k(n, right, k)].map(Option::unwrap);
            near(found, wanted, TOLERANCE, &format!("{right} of {n}, k {k}"));
        }
        for k in [0, n + 1] {
            assert_eq!(
                (pass_at_k(n, right, k), pass_hat_k(n, right, k)),
                (None, None)
            );
        }
        assert_eq!(
            (pass_at_k(n, n + 1, 1), pass_hat_k(n, n + 1, 1)),
            (None, None)
        );
    }
    // Here, the binomial coefficients would overflow. 10 of 1000 correct: 1 − C(990, 500)/C(1000,
    // 500).
    near(
        pass_at_k(1000, 10, 500),
        [0.999_066_812_197_815_5],
        1e-12,
        "large",
    );
    assert_eq!(best_of(&[]), None);
    assert_eq!(best_of(&[0.25, 1.0, 0.5]), Some(1.0));
}

#[test]
fn intervals_need_three_clusters_and_warn_below_ten() {
    assert_eq!(estimate::<u32>(&[]), None);
    let rows: [(u32, &[f64], Option<Method>); 8] = [
        (1, &[0.5], None),
        (2, &[0.0, 1.0], None),
        (3, &[0.0, 1.0], Some(Method::Wilson)),
        (3, &[1.0], Some(Method::Wilson)),
        (3, &[0.25, 0.75], Some(Method::ClusterWilson)),
        (9, &[0.25, 0.75], Some(Method::ClusterWilson)),
        (10, &[0.25, 0.75], Some(Method::ClusterWilson)),
        (12, &[0.3], Some(Method::NoSpread)),
    ];
    for (clusters, values, method) in rows {
        let scores =
            (0..clusters).map(|cluster| (cluster, values[cluster as usize % values.len()]));
        let found = estimate(&scores.collect::<Vec<_>>()).unwrap();
        let name = format!("{clusters} of {values:?}");
        assert_eq!(found.method, method, "{name}");
        assert_eq!(found.interval.is_some(), method.is_some(), "{name}");
        let few = method.is_some() && clusters < 10;
        assert_eq!(found.has_few_clusters(), few, "{name}");
    }
}

#[test]
fn score_is_mean_over_samples() {
    // One sample with three attempts, one with a single attempt.
    let scores = [("a", 0, 1.0), ("b", 1, 0.0), ("a", 0, 1.0), ("a", 0, 0.5)];
    let means = sample_means(scores);
    near(
        means.iter().map(|(_, mean)| *mean),
        [2.5 / 3.0, 0.0],
        TOLERANCE,
        "means",
    );
    near(
        [estimate(&means).unwrap().mean],
        [2.5 / 6.0],
        TOLERANCE,
        "score",
    );
}

#[test]
fn tango_interval_and_test_match_reference() {
    for TangoCase {
        source,
        wins,
        losses,
        samples,
        interval,
        p,
    } in reference().tango
    {
        let name = format!("{wins}, {losses} of {samples} ({source})");
        let tango = Tango {
            wins,
            losses,
            samples,
        };
        near(tango.interval(), interval, SEARCH, &name);
        near([tango.p()], [p], SEARCH, &name);
        let turned = Tango {
            wins: losses,
            losses: wins,
            samples,
        };
        near(
            turned.interval(),
            [-interval[1], -interval[0]],
            SEARCH,
            &name,
        );
    }
}

/// Compares with published figures at their published precision: T. Tango (1998), M. W. Fagerland
/// et al. (2014).
#[test]
fn tango_intervals_match_publications() {
    let rows = [
        ([1.0, 7.0, 21.0], [-0.517, -0.026]),
        ([8.0, 0.0, 16.0], [0.21, 0.72]),
        ([5.0, 0.0, 20.0], [0.049, 0.469]),
    ];
    for ([wins, losses, samples], interval) in rows {
        let tango = Tango {
            wins,
            losses,
            samples,
        };
        near(tango.interval(), interval, 0.005, &format!("{tango:?}"));
    }
}

#[test]
fn test_agrees_with_interval() {
    for seed in 0..2 {
        let (tested, found, disagree) = agreement::count(10_000, seed);
        assert_eq!((tested, disagree), (10_000, 0), "seed {seed}");
        assert!((1_000..9_000).contains(&found), "{found}");
    }
}

#[test]
fn detectable_difference_of_score_test_matches_reference() {
    for PowerCase {
        samples,
        differing,
        level,
        detectable: wanted,
    } in reference().powers
    {
        let pairs: Vec<Pair<u32>> = (0..samples)
            .map(|cluster| Pair {
                cluster,
                first: 0.0,
                second: f64::from(u8::from(cluster < differing)),
            })
            .collect();
        let name = format!("{differing} of {samples} at {level}");
        near(detectable(&pairs, level), wanted, 1e-6, &name);
    }
}

#[test]
fn detectable_difference_of_t_test_matches_normal_approximation() {
    // With many samples, the normal approximation holds: (z of the level + z of 80 %) × standard
    // error.
    let pair = |cluster: u32, second: f64| Pair {
        cluster,
        first: 0.5,
        second,
    };
    let fractions: Vec<Pair<u32>> = (0..200)
        .map(|cluster| pair(cluster, f64::from(cluster * 37 % 101) / 100.0))
        .collect();
    let error = paired(&fractions).unwrap().standard_error.unwrap();
    for (level, z) in [(0.05, 1.959_964), (0.05 / 3.0, 2.393_98)] {
        near(
            detectable(&fractions, level),
            [(z + 0.841_621) * error],
            0.05 * error * z,
            "many",
        );
    }
    // Two samples are too few, and equal differences have no spread.
    let two = [pair(0, 0.0), pair(1, 1.0)];
    assert_eq!(detectable(&two, 0.05), None);
    let alike: Vec<Pair<u32>> = (0..9).map(|cluster| pair(cluster, 0.75)).collect();
    assert_eq!(detectable(&alike, 0.05), None);
    assert_eq!(detectable::<u32>(&[], 0.05), None);
}

/// Returns pairs in which the first run always scores 0. Each pair is its own cluster.
fn against_zero(second: impl IntoIterator<Item = f64>) -> Vec<Pair<u32>> {
    let pairs = (0..).zip(second).map(|(cluster, second)| Pair {
        cluster,
        first: 0.0,
        second,
    });
    pairs.collect()
}

#[test]
fn two_samples_are_not_tested() {
    let scores = [0.6, 0.61, 0.62];
    let two = against_zero(scores[..2].iter().copied());
    let found = paired(&two).unwrap();
    assert_eq!(
        (found.interval(), found.p(), found.method()),
        (None, None, None)
    );
    assert_eq!(detectable(&two, 0.05), None);
    let three = paired(&against_zero(scores)).unwrap();
    assert_eq!(three.method(), Some(Method::T));
    assert!(three.has_few_clusters() && three.p().unwrap() < 0.001);
}

#[test]
fn equal_differences_count_as_wins() {
    let of = |size: f64| {
        paired(&against_zero([size; 24]))
            .unwrap()
            .interval()
            .unwrap()
    };
    let [whole, half, tie] = [1.0, 0.5, 0.0].map(of);
    near([half[0]], [whole[0] / 2.0], TOLERANCE, "low");
    near([half[1]], [1.0 - half[0]], TOLERANCE, "high");
    let z2 = 1.959_963_984_540_054_f64.powi(2);
    near([whole[0]], [(24.0 - z2) / (24.0 + z2)], SEARCH, "wins");
    near(tie, [-z2 / (24.0 + z2), z2 / (24.0 + z2)], SEARCH, "ties");
    let half = paired(&against_zero([0.5; 24])).unwrap();
    assert_eq!(half.method(), Some(Method::NoSpread));
    assert!(half.p().unwrap() < 0.001);
    assert_eq!(paired(&against_zero([0.0; 24])).unwrap().p(), Some(1.0));
}

#[test]
fn figures_do_not_depend_on_order() {
    let values: Vec<(u32, f64)> = (0_u32..99)
        .map(|i| (i % 11, f64::from(i * 37 % 13) / 13.0))
        .collect();
    let mut turned = values.clone();
    turned.reverse();
    turned.rotate_left(17);
    assert_eq!(estimate(&values), estimate(&turned));
    let clusters = |values: &[(u32, f64)]| clustered(values).unwrap().clusters;
    assert_eq!(clusters(&values), clusters(&turned));
    let pairs = |values: &[(u32, f64)]| -> Vec<Pair<u32>> {
        let pairs = values.iter().map(|(cluster, second)| Pair {
            cluster: *cluster,
            first: 0.5,
            second: *second,
        });
        pairs.collect()
    };
    let both = [&values, &turned].map(|values| pairs(values));
    assert_eq!(paired(&both[0]), paired(&both[1]));
    assert_eq!(detectable(&both[0], 0.05), detectable(&both[1], 0.05));
}
