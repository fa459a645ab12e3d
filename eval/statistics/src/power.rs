//! Computes the smallest difference that a comparison would probably find.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use statrs::distribution::{Binomial, DiscreteCDF};
use statrs::function::gamma::ln_gamma;

use crate::cluster::{Clustered, standard_error};
use crate::method::MIN_CLUSTERS;
use crate::paired::{Pair, differences, is_right_or_wrong};
use crate::quantile::{normal_quantile, t_quantile, upper};

/// Probability with which the detectable difference is found.
pub const POWER: f64 = 0.8;

/// Maximum number of resamples, used with few clusters.
const MOST_RESAMPLES: usize = 4_000;
/// Minimum number of resamples, used with many clusters.
const LEAST_RESAMPLES: usize = 1_000;
/// Maximum number of clusters drawn in total, unless [`LEAST_RESAMPLES`] requires more.
const DRAWS: usize = 1_000_000;

/// Seed of the resampling, fixed so that users cannot choose among figures.
const SEED: u64 = 0;

/// Tolerance for rounding errors.
const ROUNDING: f64 = 1e-9;

/// Numbers of differing samples with a lower probability are ignored.
const NEGLIGIBLE: f64 = 1e-12;

/// Returns the smallest difference that the test of [`crate::Paired::p`] finds with probability
/// [`POWER`] at significance level `level`, in runs over equally many samples. Returns `None` if
/// even a difference of 1 would be found less often, if fractional differences have no spread, or
/// if there are too few clusters for a test.
///
/// The given runs are the model for further runs:
///
/// - If every score is 0 or 1 and every sample is its own cluster, Tango's score test decides. The
///   expected number of differing samples is that of the given runs, and the share of wins minus
///   the share of losses is the difference in question. If the difference requires more differing
///   samples, all of them are wins. The power is summed over all outcomes, as in S. W. Duffy
///   (Statistics in Medicine 3, 1984).
/// - Otherwise the t test decides. As many clusters as given are drawn with replacement, after all
///   differences are shifted by the same amount: A. C. Davison and D. V. Hinkley, "Bootstrap
///   Methods and Their Application" (1997), section 4.6. There are 1,000 to 4,000 resamples with a
///   fixed seed.
pub fn detectable<K: Ord>(pairs: &[Pair<K>], level: f64) -> Option<f64> {
    let found = differences(pairs)?;
    if found.clusters.len() < MIN_CLUSTERS {
        return None;
    }
    if is_right_or_wrong(pairs, &found) {
        let differing = pairs
            .iter()
            .filter(|pair| (pair.first - pair.second).abs() > 0.5);
        return by_score_test(
            pairs.len() as u64,
            differing.count() as f64 / pairs.len() as f64,
            level,
        );
    }
    by_t_test(&found, level)
}

/// Finds the smallest detectable difference by bisection, because larger differences are found more
/// often.
fn by_score_test(samples: u64, differing: f64, level: f64) -> Option<f64> {
    let test = ScoreTest::new(samples, level);
    let power = |size: f64| {
        let differing = differing.max(size);
        test.power(differing, f64::midpoint(differing, size) / differing)
    };
    if power(1.0) < POWER {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while high - low > 1e-9 {
        let middle = f64::midpoint(low, high);
        if power(middle) < POWER {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}

/// Score test of no difference for a given number of samples.
struct ScoreTest {
    samples: u64,
    /// For each number of differing samples: the maximum count of the rarer outcome (wins or
    /// losses) at which the test rejects.
    most: Vec<Option<u64>>,
}

impl ScoreTest {
    fn new(samples: u64, level: f64) -> Self {
        let z = normal_quantile(upper(level));
        let most = |differing: u64| {
            // (wins − losses)² ≥ z²·(wins + losses)
            let rarer = (differing as f64 - z * (differing as f64).sqrt()) / 2.0;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the value is not negative"
            )]
            let whole = rarer.floor().max(0.0) as u64;
            (differing > 0 && rarer >= 0.0).then_some(whole)
        };
        let all = (0..=samples).map(most).collect();
        Self { samples, most: all }
    }

    /// Returns the probability that the test rejects. `differing` is the probability that a sample
    /// differs; `wins` is the probability that a differing sample is a win.
    fn power(&self, differing: f64, wins: f64) -> f64 {
        let n = self.samples as f64;
        let choose = |k: f64| ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
        let log_power = |base: f64, exponent: f64| {
            if exponent > 0.0 {
                exponent * base.ln()
            } else {
                0.0
            }
        };
        let rejects = |(number, most): (usize, &Option<u64>)| {
            let most = (*most)?;
            let k = number as f64;
            let chance =
                (choose(k) + log_power(differing, k) + log_power(1.0 - differing, n - k)).exp();
            if chance < NEGLIGIBLE {
                return None;
            }
            let wins = Binomial::new(wins.min(1.0), number as u64).ok()?;
            let many = wins.sf(number as u64 - most - 1);
            Some(chance * (wins.cdf(most) + many))
        };
        self.most.iter().enumerate().filter_map(rejects).sum()
    }
}

/// Returns the [`POWER`] quantile of the resamples' smallest detectable differences. Each resample
/// detects all larger differences.
fn by_t_test(found: &Clustered, level: f64) -> Option<f64> {
    found.standard_error.filter(|error| *error > 0.0)?;
    let count = found.clusters.len();
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let resamples = (DRAWS / count).clamp(LEAST_RESAMPLES, MOST_RESAMPLES);
    let mut drawn = Vec::with_capacity(count);
    let usual = t_quantile(upper(level), count as f64 - 1.0)?;
    let quantile = |degrees: f64| {
        if degrees >= count as f64 - 1.0 {
            Some(usual)
        } else {
            t_quantile(upper(level), degrees)
        }
    };
    let mut least: Vec<f64> = (0..resamples)
        .map(|_| {
            drawn.clear();
            drawn.extend((0..count).map(|_| found.clusters[below(random.next_u64(), count)]));
            let (sum, size) = drawn.iter().fold((0.0, 0.0), |(sum, size), group| {
                (sum + group.0, size + group.1)
            });
            let mean = sum / size;
            let tested = standard_error(&drawn, mean, size)
                .filter(|(error, _)| *error > 0.0)
                .and_then(|(error, degrees)| Some(quantile(degrees)? * error));
            // Without spread, the t test does not apply.
            tested.map_or(f64::INFINITY, |reach| reach - (mean - found.mean))
        })
        .collect();
    least.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index into the list"
    )]
    let place = (POWER * resamples as f64).ceil() as usize - 1;
    // With few clusters, many of these differences are equal. A difference of exactly this size
    // must be found despite rounding.
    let size = least.get(place)? + ROUNDING;
    (size <= 1.0).then_some(size)
}

/// Converts 64 random bits to a number below `bound`: D. Lemire, "Fast Random Integer Generation in
/// an Interval", ACM TOMACS 29 (2019), without its rejection step, which changes probabilities by
/// less than 1 in 2³² for bounds below 2³². Implemented here so that a new version of a crate
/// cannot change figures.
fn below(bits: u64, bound: usize) -> usize {
    let scaled = (u128::from(bits) * bound as u128) >> 64;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is below the bound, a usize"
    )]
    let index = scaled as usize;
    index
}
