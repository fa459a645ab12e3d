//! The interval of a mean score, which holds with few clusters, too.

use super::cluster::Clustered;
use super::quantile::{UPPER, normal_quantile, t_quantile};
use super::spread::Spread;

/// With fewer clusters there is no interval: no method holds with so few.
pub const MIN_CLUSTERS: usize = 5;

/// With fewer clusters an interval is approximate, and tables say so.
pub const FEW_CLUSTERS: usize = 20;

/// Up to so many clusters the fitted spread counts in full; beyond, in the proportion of this number to theirs.
const FIT_CLUSTERS: f64 = 40.0;

/// Ends are found to within this, in at most so many steps.
const PRECISION: f64 = 1e-6;
const MOST_STEPS: u32 = 60;

/// The 95 % interval of the mean of values from 0 to 1. None with fewer than [`MIN_CLUSTERS`] clusters, or where all
/// clusters have one mean other than 0 or 1, which shows no variance to go by.
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
/// - `z²/n`, if all `n` values are 0 or 1: a design effect of at least 1.
/// - `c²·F(p)/(p(1−p))` for the variance `F(p)` of the mean that fits the clusters best if `p` is the true mean
///   ([`Spread`]), with `c² = (d+1)t²/(d+t²)` for `d` degrees of freedom, what a `t` becomes whose variance is taken
///   around the true mean. This is for the samples that by chance hold none of a few far clusters: their spread shows
///   too little. Beyond 40 clusters, of which fewer samples miss these, it counts for the less the more there are.
///
/// Where all values are 0, or all 1, each cluster counts as one draw: `K` is `z²·Σw²`.
pub fn score_interval(found: &Clustered, binary: bool) -> Option<(f64, f64)> {
    if found.clusters.len() < MIN_CLUSTERS {
        return None;
    }
    let z2 = normal_quantile(UPPER).powi(2);
    let weights = Weights::of(found);
    if found.mean <= 0.0 || found.mean >= 1.0 {
        return Some(wilson(found.mean, z2 * weights.squares));
    }
    let variance = weights.variance(found);
    if variance <= 0.0 && !binary {
        return None;
    }
    let t2 = t_quantile(UPPER, weights.degrees)?.powi(2);
    let by_spread = (t2 * variance / (found.mean * (1.0 - found.mean))).min(t2 * weights.squares);
    let floor = if binary { z2 / found.n } else { 0.0 };
    let least = by_spread.max(floor);
    let (low, high) = wilson(found.mean, least);

    let spread = Spread::of(&found.clusters, binary);
    let c2 = (weights.degrees + 1.0) * t2 / (weights.degrees + t2);
    let count = (FIT_CLUSTERS / found.clusters.len() as f64).min(1.0);
    let outside = |p: f64, near: &mut Option<f64>| {
        let by_fit = c2 * spread.variance_ratio(p, near);
        let k = least + count * (by_fit - least).max(0.0);
        (found.mean - p).powi(2) - p * (1.0 - p) * k
    };
    let end = |from: f64, to: f64| last_within(from, to, (found.mean - to).powi(2), outside);
    Some((end(low, 0.0), end(high, 1.0)))
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
