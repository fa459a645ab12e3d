//! The interval of a mean score, which holds with few clusters, too.

use crate::cluster::Clustered;
use crate::exact::{clopper_pearson, unseen};
use crate::quantile::{UPPER, normal_quantile, t_quantile};
use crate::spread::Spread;

/// With fewer clusters there is no interval: what a few show of the others is too little, whatever the method.
pub const MIN_CLUSTERS: usize = 10;

/// So many are enough where each is one answer, right or wrong.
pub const MIN_ALONE: usize = 2;

/// With fewer clusters an interval is approximate unless it is exact, and tables say so.
pub const FEW_CLUSTERS: usize = 20;

/// Ends are found to within this, in at most so many steps.
const PRECISION: f64 = 1e-6;
const MOST_STEPS: u32 = 60;

/// The 95 % interval of the mean of values from 0 to 1, of which `binary` says whether all are 0 or 1.
///
/// Where each is a cluster of its own, and 0 or 1: [`clopper_pearson`], from [`MIN_ALONE`] on. Else from [`MIN_CLUSTERS`]
/// on: [`by_spread`], and at least up to how much of all may be right, or wrong, if no cluster shows anything of it
/// ([`unseen`]). No run can have an upper end below that of one that was wrong throughout.
pub fn score_interval(found: &Clustered, binary: bool) -> Option<(f64, f64)> {
    if binary && found.is_alone() {
        let hits = (found.mean * found.n).round();
        return (found.clusters.len() >= MIN_ALONE).then(|| clopper_pearson(hits, found.n));
    }
    let (low, high) = by_spread(found, binary)?;
    let unseen = unseen(found.draws());
    Some((low.min(1.0 - unseen), high.max(unseen)))
}

/// The interval that the spread of the clusters gives. None with fewer than [`MIN_CLUSTERS`], or where all have one mean
/// other than 0 or 1, which shows no variance to go by. Where all have a mean of 0, or of 1, what may be [`unseen`].
///
/// All `p` with `(mean − p)² ≤ p(1−p)·K(p)`: Wilson's score interval (E. B. Wilson, JASA 22, 1927) over as many
/// independent draws as the clusters are worth, as surveys have it (E. L. Korn and B. I. Graubard, Survey Methodology 24,
/// 1998; N. Dean and M. Pagano, J. Survey Statistics and Methodology 3, 2015; C. Franco et al., ibid. 7, 2019). `K(p)` is
/// the largest of
///
/// - `t²·V/(mean(1−mean))`, at most `t²·Σw²`, for the variance `V` of the mean by the spread of the clusters, each of
///   weight `w`. It is unbiased and has the degrees of freedom that R. M. Bell and D. F. McCaffrey give it (Survey
///   Methodology 28, 2002; J. E. Pustejovsky and E. Tipton, J. Business and Economic Statistics 36, 2018) if clusters
///   vary alike: `G − 1` of `G` clusters of one size. No values between 0 and 1 vary more than 0 and 1 themselves do:
///   hence the bound.
/// - The same of the variance `s²·Σw²` with `G − 1` degrees, `s²` being that of the clusters' means, each counted once. It
///   is the steadier one where a few clusters hold much of the values.
/// - `z²/n`, if all `n` values are 0 or 1: a design effect of at least 1.
/// - `c²·F(p)/(p(1−p))` for the variance `F(p)` of the mean that fits the clusters best if `p` is the true mean
///   ([`Spread`]), with `c² = (d+1)t²/(d+t²)` for `d` degrees of freedom, what a `t` becomes whose variance is taken
///   around the true mean. This is for the samples that by chance hold few of the far clusters: their spread shows too
///   little.
///
/// And at least as far as [`two_kinds`] goes.
pub(crate) fn by_spread(found: &Clustered, binary: bool) -> Option<(f64, f64)> {
    if found.clusters.len() < MIN_CLUSTERS {
        return None;
    }
    let z2 = normal_quantile(UPPER).powi(2);
    let weights = Weights::of(found);
    let unseen = unseen(found.draws());
    if found.mean <= 0.0 {
        return Some((0.0, unseen));
    }
    if found.mean >= 1.0 {
        return Some((1.0 - unseen, 1.0));
    }
    let variance = weights.variance(found);
    if variance <= 0.0 && !binary {
        return None;
    }
    let t2 = t_quantile(UPPER, weights.degrees)?.powi(2);
    let steady = t_quantile(UPPER, found.clusters.len() as f64 - 1.0)?.powi(2)
        * weights.variance_if_alike(found);
    let by_spread =
        ((t2 * variance).max(steady) / (found.mean * (1.0 - found.mean))).min(t2 * weights.squares);
    let floor = if binary { z2 / found.n } else { 0.0 };
    let least = by_spread.max(floor);
    let (low, high) = wilson(found.mean, least);

    let spread = Spread::of(&found.clusters, binary);
    let c2 = (weights.degrees + 1.0) * t2 / (weights.degrees + t2);
    let outside = |p: f64, near: &mut Option<f64>| {
        let by_fit = c2 * spread.variance_ratio(p, near);
        (found.mean - p).powi(2) - p * (1.0 - p) * by_fit.max(least)
    };
    let end = |from: f64, to: f64| last_within(from, to, (found.mean - to).powi(2), outside);
    let (low, high) = (end(low, 0.0), end(high, 1.0));
    let kinds = two_kinds(found);
    Some((low.min(kinds.0), high.max(kinds.1)))
}

/// The interval as though the clusters were of two kinds, parted in the middle between the lowest and the highest mean, and
/// only the share of each kind were unknown: Wilson's of that share, from the mean of the one kind to that of the other. Where
/// attempts repeat one answer, clusters are of two kinds indeed, and one of the rarer kind shows little of the spread.
fn two_kinds(found: &Clustered) -> (f64, f64) {
    let means = || found.clusters.iter().map(|(sum, size)| sum / size);
    let middle = f64::midpoint(means().fold(1.0, f64::min), means().fold(0.0, f64::max));
    let (mut sum, mut size) = (0.0, 0.0);
    for group in &found.clusters {
        if group.0 > middle * group.1 {
            sum += group.0;
            size += group.1;
        }
    }
    if size <= 0.0 || size >= found.n {
        return (found.mean, found.mean);
    }
    let upper = sum / size;
    let lower = (found.mean * found.n - sum) / (found.n - size);
    let z2 = normal_quantile(UPPER).powi(2);
    let (few, many) = wilson(size / found.n, z2 / found.draws());
    (
        lower + (upper - lower) * few,
        lower + (upper - lower) * many,
    )
}

/// Where a function becomes positive between `from`, where it is not, and `to`, where it is `value`: by false position as the
/// Illinois method has it (M. Dowell and P. Jarratt, BIT 11, 1971). The function keeps a note from one call to the next.
fn last_within(from: f64, to: f64, value: f64, of: impl Fn(f64, &mut Option<f64>) -> f64) -> f64 {
    let mut note = None;
    let (mut inside, mut outside) = ((from, of(from, &mut note)), (to, value));
    // Most intervals end where they begin.
    if inside.1 >= -PRECISION * PRECISION {
        return from;
    }
    let mut last_was_inside = None;
    for _ in 0..MOST_STEPS {
        let share = inside.1 / (inside.1 - outside.1);
        let place = inside.0 + share * (outside.0 - inside.0);
        let here = of(place, &mut note);
        let is_inside = here <= 0.0;
        let (moved, stays) = if is_inside {
            (&mut inside, &mut outside)
        } else {
            (&mut outside, &mut inside)
        };
        let step = (place - moved.0).abs();
        *moved = (place, here);
        if last_was_inside == Some(is_inside) {
            stays.1 /= 2.0;
        }
        last_was_inside = Some(is_inside);
        if step < PRECISION || (inside.0 - outside.0).abs() < PRECISION {
            break;
        }
    }
    inside.0
}

/// Both `p` of `(mean − p)² = p(1−p)·k`.
fn wilson(mean: f64, k: f64) -> (f64, f64) {
    let middle = mean + k / 2.0;
    let half = (k * mean * (1.0 - mean) + k * k / 4.0).sqrt();
    // At 0 and 1 one end is exact, and rounding would miss it.
    let low = if mean <= 0.0 {
        0.0
    } else {
        (middle - half) / (1.0 + k)
    };
    let high = if mean >= 1.0 {
        1.0
    } else {
        (middle + half) / (1.0 + k)
    };
    (low, high)
}

/// How much each cluster counts for the mean: its share of the values.
struct Weights {
    /// The sum of their squares.
    squares: f64,
    /// What the sum of the clusters' squared deviations, weighted, is divided by to be the variance of the mean.
    bias: f64,
    /// Degrees of freedom of that variance.
    degrees: f64,
}

impl Weights {
    /// For `e = (I − 1wᵀ)y` and `D = diag(w²)`, `eᵀDe` is a quadratic form `yᵀAy`. If all `y` vary alike, its mean is
    /// `tr A` times their variance, and it has `(tr A)²/tr A²` degrees of freedom, by Satterthwaite's approximation.
    fn of(found: &Clustered) -> Self {
        let sum = |power: i32| -> f64 {
            let terms = found
                .clusters
                .iter()
                .map(|(_, size)| (size / found.n).powi(power));
            terms.sum()
        };
        let (w2, w3, w4) = (sum(2), sum(3), sum(4));
        let trace = w2 - 2.0 * w3 + w2 * w2;
        // Of A = D − (D1)wᵀ − w(D1)ᵀ + w2·wwᵀ, element by element.
        let squared =
            w4 + 2.0 * (w4 * w2 + w3 * w3) + w2.powi(4) - 4.0 * w2 * w3 * w2 - 4.0 * sum(5)
                + 2.0 * w2 * w4;
        Self {
            squares: w2,
            bias: trace / w2,
            degrees: trace * trace / squared,
        }
    }

    /// The variance of the mean if the means of all clusters vary alike, whatever their sizes. Each counts the same.
    fn variance_if_alike(&self, found: &Clustered) -> f64 {
        let means = found.clusters.iter().map(|(sum, size)| sum / size);
        let count = found.clusters.len() as f64;
        let middle = means.clone().sum::<f64>() / count;
        let squares: f64 = means.map(|mean| (mean - middle).powi(2)).sum();
        squares / (count - 1.0) * self.squares
    }

    /// The variance of the mean, unbiased if all clusters vary alike.
    fn variance(&self, found: &Clustered) -> f64 {
        let deviation = |(sum, size): &(f64, f64)| (sum - size * found.mean) / found.n;
        let squares: f64 = found
            .clusters
            .iter()
            .map(|group| deviation(group).powi(2))
            .sum();
        // What rounding leaves where all clusters agree is no variance.
        if squares < 1e-28 {
            0.0
        } else {
            squares / self.bias
        }
    }
}
