//! The interval of the difference between two runs over the same samples.

use crate::cluster::{Clustered, clustered};
use crate::exact::unseen;
use crate::paired::{Pair, TIE};
use crate::quantile::{UPPER, normal_quantile};
use crate::score_interval::{MIN_CLUSTERS, by_spread, score_interval};

/// The 95 % interval of a mean difference. None where one of its parts has none.
///
/// Where McNemar's test fits (`answers`), what is won and what is lost have an exact interval each, and [`put_together`] they
/// hold at least as often as they should: summed over all outcomes of 2 to 50 samples, and over a grid of chances to win and
/// to lose, in no case less than 95.9 %.
///
/// Else the differences are what goes by: brought from -1…1 to 0…1, their mean has a [`score_interval`]. Where at least half
/// of the clusters tie, that would show too little of the few that do not, and wins and losses are put together instead.
/// It is then made as wide as samples of an [unseen](widened) kind may have it.
pub(crate) fn difference_interval<K: Ord>(
    pairs: &[Pair<K>],
    found: &Clustered,
    answers: bool,
) -> Option<[f64; 2]> {
    if answers {
        return put_together(found, true);
    }
    if found.clusters.len() < MIN_CLUSTERS {
        return None;
    }
    let ties = found.clusters.iter().filter(|(sum, _)| sum.abs() <= TIE);
    let ends = if 2 * ties.count() >= found.clusters.len() {
        put_together(found, false)?
    } else {
        moved(found)?
    };
    widened(ends, pairs, found)
}

/// By the differences brought to 0…1.
fn moved(found: &Clustered) -> Option<[f64; 2]> {
    let clusters = found.clusters.iter();
    let moved = Clustered {
        mean: f64::midpoint(found.mean, 1.0),
        n: found.n,
        clusters: clusters
            .map(|(sum, size)| (f64::midpoint(*sum, *size), *size))
            .collect(),
        standard_error: None,
    };
    let (low, high) = score_interval(&moved, false)?;
    Some([2.0 * low - 1.0, 2.0 * high - 1.0])
}

/// By what clusters win on average and what they lose, each with a [`score_interval`]. These are put together as G. Y. Zou
/// and A. Donner do, "Construction of Confidence Limits about Effect Measures", Statistics in Medicine 27 (2008), after
/// R. G. Newcombe, "Improved Confidence Intervals for the Difference between Binomial Proportions Based on Paired Data",
/// ibid. 17 (1998).
fn put_together(found: &Clustered, binary: bool) -> Option<[f64; 2]> {
    let part = |sign: f64| {
        let sums = found.clusters.iter();
        let clusters: Vec<(f64, f64)> = sums
            .map(|(sum, size)| ((sign * sum).max(0.0), *size))
            .collect();
        Clustered {
            mean: clusters.iter().map(|(sum, _)| sum).sum::<f64>() / found.n,
            n: found.n,
            clusters,
            standard_error: None,
        }
    };
    let (won, lost) = (part(1.0), part(-1.0));
    let (low, high) = score_interval(&won, binary)?;
    let (low_lost, high_lost) = score_interval(&lost, binary)?;
    // Where it is unknown: what gives the widest interval.
    let r = correlation(&won, &lost).unwrap_or(-1.0);
    let distance = |a: f64, b: f64| (a * a + b * b - 2.0 * r * a * b).max(0.0).sqrt();
    let difference = won.mean - lost.mean;
    Some([
        (difference - distance(won.mean - low, high_lost - lost.mean)).max(-1.0),
        (difference + distance(high - won.mean, lost.mean - low_lost)).min(1.0),
    ])
}

/// That interval, made wider where samples of a kind that none of the clusters is of may differ more.
///
/// Where attempts at a sample repeat one answer, clusters differ by nothing or by nearly everything, and a few may all differ
/// alike. How many others there may be is known ([`unseen`]); and the two runs' own intervals say how far apart they can be
/// if they had no sample in common. The interval reaches at least as far as the nearer of the two. Scores between 0 and 1
/// show more of how clusters vary: there, only if the runs' scores go together (their correlation is above `z/√G`), for
/// without that, pairing makes nothing narrower.
fn widened<K: Ord>(
    [low, high]: [f64; 2],
    pairs: &[Pair<K>],
    found: &Clustered,
) -> Option<[f64; 2]> {
    let unseen = unseen(found.draws());
    let others = [
        found.mean - unseen * (1.0 + found.mean),
        found.mean + unseen * (1.0 - found.mean),
    ];
    if low <= others[0] && others[1] <= high {
        return Some([low, high]);
    }
    let run = |of: fn(&Pair<K>) -> f64| {
        let values = pairs.iter().map(|pair| (&pair.cluster, of(pair)));
        clustered(&values.collect::<Vec<_>>())
    };
    let (first, second) = (run(|pair| pair.first)?, run(|pair| pair.second)?);
    let right_or_wrong = pairs.iter().all(|pair| pair.right_or_wrong);
    let go_together = || match correlation(&first, &second) {
        Some(r) => r > normal_quantile(UPPER) / (found.clusters.len() as f64).sqrt(),
        None => true,
    };
    if !right_or_wrong && !go_together() {
        return Some([low, high]);
    }
    // How far the mean of a run may truly be below what it seems, and above.
    let room = |run: &Clustered| {
        let interval = if right_or_wrong {
            score_interval(run, false)
        } else {
            by_spread(run, false)
        };
        interval.map_or((1.0, 1.0), |(low, high)| (run.mean - low, high - run.mean))
    };
    let (first_below, first_above) = room(&first);
    let (second_below, second_above) = room(&second);
    let least = others[0].max(found.mean - second_below.hypot(first_above));
    let most = others[1].min(found.mean + second_above.hypot(first_below));
    Some([low.min(least), high.max(most)])
}

/// Squares of differences that rounding alone may make.
const ROUNDING: f64 = 1e-24;

/// The correlation of two figures of the same clusters. None where one of them does not vary.
fn correlation(one: &Clustered, other: &Clustered) -> Option<f64> {
    let sum = |a: &Clustered, b: &Clustered| -> f64 {
        let groups = a.clusters.iter().zip(&b.clusters);
        let terms = groups
            .map(|((a_sum, size), (b_sum, _))| (a_sum - size * a.mean) * (b_sum - size * b.mean));
        terms.sum()
    };
    let (of_one, of_other) = (sum(one, one), sum(other, other));
    let varies = of_one > ROUNDING && of_other > ROUNDING;
    let scale = (of_one * of_other).sqrt();
    varies.then(|| (sum(one, other) / scale).clamp(-1.0, 1.0))
}
