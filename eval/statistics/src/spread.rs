//! How widely clusters vary if their true mean is a given one.

use std::collections::BTreeMap;

use statrs::function::beta::ln_beta;

/// Means nearer to 0 or 1 than this count as 0 or 1.
const RESOLUTION: f64 = 0.0005;

/// The correlation is sought as its logit, between these.
const LOGITS: (f64, f64) = (-9.0, 9.0);
/// The step that the search begins with, and one that it ends at.
const FIRST_STEP: f64 = 1.0;
const LEAST_STEP: f64 = 0.25;

/// The spread of clusters around a mean, by maximum likelihood.
pub(crate) enum Spread {
    /// Right answers of attempts: each cluster's by a beta-binomial distribution.
    Counts {
        /// Right answers and attempts, and the clusters that have so many.
        clusters: Vec<(usize, usize, usize)>,
        /// The most attempts that a cluster has.
        largest: usize,
        /// The sum of squared weights, and the inverse of the number of values.
        weights: (f64, f64),
    },
    /// Means of clusters, by a beta distribution.
    Means {
        /// How many are 0, and how many 1.
        ends: (f64, f64),
        /// How many lie between, with the sums of their logarithms and of those of what they lack to 1.
        between: (f64, f64, f64),
        /// The mean of all, and of their squares.
        moments: (f64, f64),
        /// The sum of squared weights.
        weights: f64,
    },
}

impl Spread {
    /// Of clusters, given as sum and number of each one's values.
    pub fn of(clusters: &[(f64, f64)], binary: bool) -> Self {
        let n: f64 = clusters.iter().map(|(_, size)| size).sum();
        let squares = clusters.iter().map(|(_, size)| (size / n).powi(2)).sum();
        if binary {
            let mut alike: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            for (sum, size) in clusters {
                *alike.entry((whole(*sum), whole(*size))).or_default() += 1;
            }
            let largest = alike.keys().map(|(_, made)| *made).max();
            let each = alike
                .into_iter()
                .map(|((right, made), count)| (right, made, count));
            return Self::Counts {
                clusters: each.collect(),
                largest: largest.unwrap_or_default(),
                weights: (squares, 1.0 / n),
            };
        }
        let (mut ends, mut between, mut moments) = ((0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0));
        for (sum, size) in clusters {
            let mean = sum / size;
            moments.0 += mean;
            moments.1 += mean * mean;
            if mean < RESOLUTION {
                ends.0 += 1.0;
            } else if mean > 1.0 - RESOLUTION {
                ends.1 += 1.0;
            } else {
                between.0 += 1.0;
                between.1 += mean.ln();
                between.2 += (1.0 - mean).ln();
            }
        }
        let count = clusters.len() as f64;
        Self::Means {
            ends,
            between,
            moments: (moments.0 / count, moments.1 / count),
            weights: squares,
        }
    }

    /// The variance of the mean of all values over `p(1−p)`, by the correlation that makes the clusters likeliest if `p` is
    /// the true mean, which lies between 0 and 1. `near` is where the logit of that correlation was for a `p` beside this
    /// one; it becomes that of this one.
    pub fn variance_ratio(&self, p: f64, near: &mut Option<f64>) -> f64 {
        let likelihood = |logit: f64| self.log_likelihood(p, correlation(logit));
        let (from, to) = LOGITS;
        let middle = near.unwrap_or_else(|| {
            let seen = self.seen_ratio(p).clamp(0.01, 0.99);
            (seen / (1.0 - seen)).ln()
        });
        let logit = highest(middle, FIRST_STEP, likelihood).clamp(from, to);
        *near = Some(logit);
        let correlation = correlation(logit);
        match self {
            Self::Counts {
                weights: (squares, each),
                ..
            } => correlation * squares + (1.0 - correlation) * each,
            Self::Means { weights, .. } => correlation * weights,
        }
    }

    /// The mean square of the clusters' distances from `p`, over `p(1−p)`: where the search begins.
    fn seen_ratio(&self, p: f64) -> f64 {
        match self {
            Self::Counts { clusters, .. } => {
                let (sum, number) = clusters.iter().fold((0.0, 0.0), |(sum, number), each| {
                    let (right, made, count) = (each.0 as f64, each.1 as f64, each.2 as f64);
                    (sum + count * (right / made - p).powi(2), number + count)
                });
                sum / number / (p * (1.0 - p))
            }
            Self::Means { moments, .. } => {
                (moments.1 - 2.0 * p * moments.0 + p * p) / (p * (1.0 - p))
            }
        }
    }

    /// With a correlation of `r`, both distributions have `a = p(1/r − 1)` and `b = (1−p)(1/r − 1)`.
    fn log_likelihood(&self, p: f64, correlation: f64) -> f64 {
        let scale = 1.0 / correlation - 1.0;
        let (a, b) = (p * scale, (1.0 - p) * scale);
        match self {
            Self::Counts {
                clusters, largest, ..
            } => {
                // ln of a(a+1)…(a+k−1) for each k: cheaper than a gamma function for each cluster.
                let (rising_a, rising_b) = (rising(a, *largest), rising(b, *largest));
                let rising_both = rising(scale, *largest);
                let terms = clusters.iter().map(|(right, made, count)| {
                    *count as f64 * (rising_a[*right] + rising_b[made - right] - rising_both[*made])
                });
                terms.sum()
            }
            Self::Means { ends, between, .. } => {
                let clusters = ends.0 + ends.1 + between.0;
                // An end stands for all that is nearer to it than the resolution.
                let zeros = ends.0 * (a * RESOLUTION.ln() - a.ln());
                let ones = ends.1 * (b * RESOLUTION.ln() - b.ln());
                zeros + ones + (a - 1.0) * between.1 + (b - 1.0) * between.2
                    - clusters * ln_beta(a, b)
            }
        }
    }
}

/// `ln(a(a+1)…(a+k−1))` for each `k` up to `most`.
fn rising(a: f64, most: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let next = |k: usize| {
        sum += (a + k as f64).ln();
        sum
    };
    std::iter::once(0.0).chain((0..most).map(next)).collect()
}

/// A count as a whole number.
fn whole(count: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of values or of ones among them"
    )]
    let whole = count.round() as usize;
    whole
}

fn correlation(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// Where a function of one peak is highest, from a place within a step or two of it: by steps that are halved at the peak,
/// and the parabola through the last three places.
fn highest(mut middle: f64, mut step: f64, of: impl Fn(f64) -> f64) -> f64 {
    let mut value = of(middle);
    let (mut left, mut right) = (of(middle - step), of(middle + step));
    loop {
        if left > value && middle > LOGITS.0 {
            (middle, right, value) = (middle - step, value, left);
            left = of(middle - step);
        } else if right > value && middle < LOGITS.1 {
            (middle, left, value) = (middle + step, value, right);
            right = of(middle + step);
        } else if step > LEAST_STEP {
            step /= 2.0;
            (left, right) = (of(middle - step), of(middle + step));
        } else {
            break;
        }
    }
    let bend = left - 2.0 * value + right;
    let shift = if bend < 0.0 {
        (left - right) / (2.0 * bend)
    } else {
        0.0
    };
    middle + step * shift.clamp(-1.0, 1.0)
}
