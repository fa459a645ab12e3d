//! Statistics against SciPy and statsmodels, whose figures `tests/reference.json` holds.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod races;

use serde::Deserialize;
use statistics::{
    NoInterval, OfAttempts, Pair, best_of, clustered, detectable, estimate, estimate_of_attempts,
    holm, mcnemar, p_value, paired, pass_at_k, pass_hat_k,
};

/// Room for another order of summing and another way to a quantile.
const TOLERANCE: f64 = 1e-9;

/// Room for the search of the likeliest correlation, which ends sooner than SciPy's.
const SEARCH: f64 = 1e-3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    #[serde(rename = "made_by")]
    _made_by: String,
    means: Vec<MeanCase>,
    pairs: Vec<PairedCase>,
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
    t_p: Option<f64>,
    wins: u64,
    losses: u64,
    ties: u64,
    mcnemar_p: Option<f64>,
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
    /// For k = 1, 2, …: at least one of k, and all of k.
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
        "{what}: {found:?} is not {wanted:?}"
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
fn means_errors_and_intervals() {
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
fn paired_differences() {
    for case in reference().pairs {
        let scores = case.first.iter().chain(&case.second);
        let answers = scores.into_iter().all(|score| [0.0, 1.0].contains(score));
        let pairs: Vec<Pair<u32>> = case
            .clusters
            .iter()
            .zip(case.first.iter().zip(&case.second))
            .map(|(&cluster, (&first, &second))| Pair {
                cluster,
                first,
                second,
                right_or_wrong: answers,
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
            found.interval.into_iter().flatten(),
            case.interval.into_iter().flatten(),
            SEARCH,
            name,
        );
        near(found.t_p, case.t_p, TOLERANCE, name);
        near(found.mcnemar_p, case.mcnemar_p, TOLERANCE, name);
        assert_eq!(
            (found.wins, found.losses, found.ties, found.samples),
            (case.wins, case.losses, case.ties, pairs.len() as u64),
            "{name}"
        );
        assert_eq!(found.p(), found.mcnemar_p.or(found.t_p), "{name}");
        assert_eq!(found.p(), p_value(&pairs), "{name}");

        // Seen from the other run, everything is turned round.
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
fn exact_mcnemar() {
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
fn holms_correction() {
    for HolmCase { values, adjusted } in reference().holm {
        near(holm(&values), adjusted, TOLERANCE, &format!("{values:?}"));
    }
    assert_eq!(holm(&[]), Vec::<f64>::new());
}

#[test]
fn estimators_of_several_attempts() {
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
    // Where the binomial coefficients themselves would overflow. 10 of 1000 right: 1 − C(990, 500)/C(1000, 500).
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
fn where_there_is_no_interval_is_said_why() {
    /// Name, clusters, values of each of which one has, and why there is no interval.
    type Row<'a> = (&'a str, u32, &'a [f64], Option<NoInterval>);
    let too_few = |clusters| Some(NoInterval::TooFew { clusters });
    assert_eq!(estimate::<u32>(&[]), None);
    let rows: [Row; 8] = [
        ("one sample", 1, &[0.5], too_few(1)),
        ("one answer", 1, &[1.0], too_few(1)),
        ("nine fractions", 9, &[0.25, 0.75], too_few(9)),
        ("ten", 10, &[0.25, 0.75], None),
        ("nineteen", 19, &[0.25, 0.75], None),
        ("twenty", 20, &[0.25, 0.75], None),
        ("two answers", 2, &[0.0, 1.0], None),
        ("all of one score", 12, &[0.3], Some(NoInterval::AllAlike)),
    ];
    for (name, clusters, values, reason) in rows {
        let scores =
            (0..clusters).map(|cluster| (cluster, values[cluster as usize % values.len()]));
        let found = estimate(&scores.collect::<Vec<_>>()).unwrap();
        assert_eq!(found.no_interval(), reason, "{name}");
        let approximate = (10..20).contains(&clusters) && reason.is_none();
        assert_eq!(found.is_approximate(), approximate, "{name}");
    }
}

/// Attempts that repeat one answer show nothing of another kind of sample, and what is computed of them no more.
#[test]
fn figures_of_attempts_are_as_wide_as_the_score_allows() {
    // Every sample is right in 2 of 10 attempts, or nearly: the spread shows next to nothing.
    let samples = (0..12).map(|sample| (sample, if sample % 2 == 0 { 2 } else { 1 }));
    let passes: Vec<(u32, f64, f64)> = samples
        .map(|(sample, right)| {
            let pass = pass_at_k(10, right, 2).unwrap();
            (sample, pass, f64::from(right) / 10.0)
        })
        .collect();
    let alone: Vec<(u32, f64)> = passes.iter().map(|(id, pass, _)| (*id, *pass)).collect();
    let (alone, found) = (
        estimate(&alone).unwrap(),
        estimate_of_attempts(&passes, OfAttempts::Chance).unwrap(),
    );
    let (narrow, wide) = (alone.interval.unwrap(), found.interval.unwrap());
    near([found.mean], [alone.mean], TOLERANCE, "mean");
    // 12 samples may hide 26.5 % that are always right.
    let hidden = (1.0 - 0.025_f64.powf(1.0 / 12.0) - 0.15) / 0.85;
    near(
        [wide.high],
        [found.mean + (1.0 - found.mean) * hidden],
        TOLERANCE,
        "high",
    );
    assert!(wide.low <= narrow.low && narrow.high < wide.high);
    // What varies by itself does without.
    let fractions = estimate_of_attempts(&passes, OfAttempts::Fraction).unwrap();
    assert_eq!(fractions.interval, alone.interval);
    assert_eq!(estimate_of_attempts::<u32>(&[], OfAttempts::Chance), None);
}

/// That each of a few samples is 0 or 1 by chance does not make it one answer.
#[test]
fn chances_of_few_samples_have_no_interval() {
    let rows = [
        (OfAttempts::Answer, 5, true, true),
        (OfAttempts::Chance, 5, false, false),
        (OfAttempts::Fraction, 5, false, false),
        (OfAttempts::Chance, 12, true, true),
    ];
    for (of_attempts, samples, has_interval, exact) in rows {
        let values = (0..samples).map(|sample| (sample, f64::from(sample % 2)));
        let values: Vec<_> = values
            .map(|(sample, value)| (sample, value, value))
            .collect();
        let found = estimate_of_attempts(&values, of_attempts).unwrap();
        assert_eq!(
            (found.interval.is_some(), found.exact),
            (has_interval, exact),
            "{of_attempts:?} of {samples}"
        );
    }
}

#[test]
fn differences_that_mcnemars_test_would_find() {
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
                right_or_wrong: true,
            })
            .collect();
        let name = format!("{differing} of {samples} at {level}");
        near(detectable(&pairs, level), wanted, 1e-6, &name);
    }
}

#[test]
fn differences_that_the_t_test_would_find() {
    // Of many samples by the normal distribution: (z of the level + z of 80 %) × error.
    let pair = |cluster: u32, second: f64| Pair {
        cluster,
        first: 0.5,
        second,
        right_or_wrong: false,
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
    // Two samples show next to nothing, and equal differences nothing at all.
    let two = [pair(0, 0.0), pair(1, 1.0)];
    assert_eq!(detectable(&two, 0.05), None);
    let alike: Vec<Pair<u32>> = (0..9).map(|cluster| pair(cluster, 0.75)).collect();
    assert_eq!(detectable(&alike, 0.05), None);
    assert_eq!(detectable::<u32>(&[], 0.05), None);
}

/// Pairs of scores of which the first run's are all 0.3, each a cluster of its own.
fn against_a_third(second: impl IntoIterator<Item = f64>) -> Vec<Pair<u32>> {
    let pairs = (0..).zip(second).map(|(cluster, second)| Pair {
        cluster,
        first: 0.3,
        second,
        right_or_wrong: true,
    });
    pairs.collect()
}

#[test]
fn few_samples_have_no_t_test() {
    // Two samples of a hundred attempts each are still two samples.
    for count in [2, 3, 9] {
        let pairs = against_a_third((0..count).map(|i| 0.6 + 0.01 * f64::from(i)));
        let found = paired(&pairs).unwrap();
        assert_eq!((found.t_p, found.p(), p_value(&pairs)), (None, None, None));
        assert_eq!(detectable(&pairs, 0.05), None);
    }
    let pairs = against_a_third((0..10).map(|i| 0.6 + 0.01 * f64::from(i)));
    assert!(paired(&pairs).unwrap().p().unwrap() < 1e-6);
}

#[test]
fn a_test_that_goes_beyond_the_interval_is_told() {
    let slightly = paired(&against_a_third(
        (0..12).map(|i| 0.34 + 0.01 * f64::from(i)),
    ))
    .unwrap();
    let far = paired(&against_a_third(
        (0..12).map(|i| 0.84 + 0.01 * f64::from(i)),
    ))
    .unwrap();
    for (found, outruns) in [(slightly, true), (far, false)] {
        let p = found.p().unwrap();
        assert!(p < 0.001);
        assert_eq!(found.test_outruns_interval(p, 0.05), outruns, "{found:?}");
        assert!(!found.test_outruns_interval(0.051, 0.05));
    }
}

#[test]
fn a_run_that_scores_the_same_everywhere_goes_with_any_other() {
    // 0.3 is no sum of powers of two, 0.25 is one: that must not show.
    let reach = |first: f64| {
        let pairs = (0..12).map(|cluster| Pair {
            cluster,
            first,
            second: first + 0.04 + 0.01 * f64::from(cluster),
            right_or_wrong: false,
        });
        paired(&pairs.collect::<Vec<_>>())
            .unwrap()
            .interval
            .unwrap()
    };
    near(reach(0.3), reach(0.25), 1e-6, "moved by 0.05");
    assert!(reach(0.3)[0] < 0.0);
}

#[test]
fn order_changes_nothing() {
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
            right_or_wrong: false,
        });
        pairs.collect()
    };
    let both = [&values, &turned].map(|values| pairs(values));
    assert_eq!(paired(&both[0]), paired(&both[1]));
    assert_eq!(detectable(&both[0], 0.05), detectable(&both[1], 0.05));
}
