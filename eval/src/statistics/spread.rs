//! How widely clusters vary if their true mean is a given one.

use std::collections::BTreeMap;

use statrs::function::beta::ln_beta;

/// Means nearer to 0 or 1 than this count as 0 or 1.
const RESOLUTION: f64 = 0.0005;

/// The correlation is sought as its logit, between these.
const LOGITS: (f64, f64) = (-9.0, 9.0);
/// Places between them where the search begins.
const PLACES: u32 = 18;
/// Steps at its end.
const LEAST_STEP: f64 = 0.1;

/// The spread of clusters around a mean, by maximum likelihood.
pub(super) enum Spread {
    /// Right answers of attempts: each cluster's by a beta-binomial distribution.
    Counts {
        /// Right answers and attempts, and the clusters that have so many.
        clusters: Vec<(f64, f64, f64)>,
        /// The sum of squared weights, and the inverse of the number of values.
        weights: (f64, f64),
    },
    /// Means of clusters, by a beta distribution.
    Means {
        /// How many are 0, and how many 1.
        ends: (f64, f64),
        /// How many lie between, with the sums of their logarithms and of those of what they lack to 1.
        between: (f64, f64, f64),
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
            let mut alike: BTreeMap<(u64, u64), f64> = BTreeMap::new();
            for (sum, size) in clusters {
                // Whole numbers, whose order is that of their bits.
                *alike.entry((sum.to_bits(), size.to_bits())).or_default() += 1.0;
            }
            let of = |((sum, size), count): (&(u64, u64), &f64)| {
                (f64::from_bits(*sum), f64::from_bits(*size), *count)
            };
            return Self::Counts {
                clusters: alike.iter().map(of).collect(),
                weights: (squares, 1.0 / n),
            };
        }
        let (mut ends, mut between) = ((0.0, 0.0), (0.0, 0.0, 0.0));
        for (sum, size) in clusters {
            let mean = sum / size;
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
        Self::Means {
            ends,
            between,
            weights: squares,
        }
    }

    /// The variance of the mean of all values over `p(1−p)`, by the correlation that makes the clusters likeliest if `p` is
    /// the true mean, which lies between 0 and 1. `near` is where the logit of that correlation was for a `p` beside this
    /// one; it becomes that of this one.
    pub fn variance_ratio(&self, p: f64, near: &mut Option<f64>) -> f64 {
        let likelihood = |logit: f64| self.log_likelihood(p, correlation(logit));
        let (from, to) = LOGITS;
        let step = (to - from) / f64::from(PLACES);
        let middle = near.unwrap_or_else(|| {
            let places = (0..=PLACES).map(|place| from + step * f64::from(place));
            let valued = places.map(|logit| (logit, likelihood(logit)));
            let best = valued.reduce(|best, next| if next.1 > best.1 { next } else { best });
            best.map_or(from, |(logit, _)| logit)
        });
        let logit = highest(middle, step, likelihood).clamp(from, to);
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

    /// With a correlation of `r`, both distributions have `a = p(1/r − 1)` and `b = (1−p)(1/r − 1)`.
    fn log_likelihood(&self, p: f64, correlation: f64) -> f64 {
        let scale = 1.0 / correlation - 1.0;
        let (a, b) = (p * scale, (1.0 - p) * scale);
        let whole = ln_beta(a, b);
        match self {
            Self::Counts { clusters, .. } => {
                let terms = clusters.iter().map(|(right, made, count)| {
                    count * (ln_beta(a + right, b + made - right) - whole)
                });
                terms.sum()
            }
            Self::Means { ends, between, .. } => {
                let clusters = ends.0 + ends.1 + between.0;
                // An end stands for all that is nearer to it than the resolution.
                let zeros = ends.0 * (a * RESOLUTION.ln() - a.ln());
                let ones = ends.1 * (b * RESOLUTION.ln() - b.ln());
                zeros + ones + (a - 1.0) * between.1 + (b - 1.0) * between.2 - clusters * whole
            }
        }
    }
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
