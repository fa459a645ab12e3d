//! Simulates runs whose true scores are known.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use statrs::distribution::{Beta, ContinuousCDF};

/// Distribution of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scores {
    /// 0 or 1; the probability of 1 varies between samples and is beta-distributed.
    Binary,
    /// 0 or 1; each attempt repeats its sample's answer with some probability.
    Repeated,
    /// Between 0 and 1, beta-distributed around the mean; each attempt repeats its sample's score
    /// with some probability.
    Even,
    /// Like `Even`, but some scores are 0, and the others are uniformly distributed. If the mean is
    /// above 0.5, some scores are 1 instead.
    Skewed,
    /// Like `Skewed`, but each sample is equally easy in both runs.
    SkewedAlike,
}

impl Scores {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Binary => "0 or 1",
            Self::Repeated => "0 or 1, repeated",
            Self::Even => "fractions, even",
            Self::Skewed => "fractions, skewed",
            Self::SkewedAlike => "fractions, skewed, alike in both runs",
        }
    }

    /// Returns the probability that a score with mean `p` is at most `x`, where `x` is below 1.
    pub fn at_most(self, x: f64, p: f64) -> f64 {
        match self {
            Self::Even => Beta::new(4.0 * p, 4.0 * (1.0 - p)).map_or(0.0, |beta| beta.cdf(x)),
            Self::Skewed | Self::SkewedAlike if p > 0.5 => 2.0 * (1.0 - p) * x,
            Self::Skewed | Self::SkewedAlike => 1.0 - 2.0 * p * (1.0 - x),
            Self::Binary | Self::Repeated => 1.0 - p,
        }
    }
}

/// Size and correlations of a cluster.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub samples: usize,
    /// Number of attempts at each sample.
    pub attempts: usize,
    /// Correlation between the attempts at a sample.
    pub correlation: f64,
    /// Correlation between the samples.
    pub alike: f64,
}

impl Shape {
    /// Creates a cluster of a single sample.
    pub const fn sample(attempts: usize, correlation: f64) -> Self {
        Self {
            samples: 1,
            attempts,
            correlation,
            alike: 0.0,
        }
    }
}

/// Random number generator with a fixed seed.
pub struct Source {
    random: ChaCha8Rng,
}

impl Source {
    pub fn new(seed: u64) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// Returns a uniform number between 0 and 1, excluding both.
    pub fn uniform(&mut self) -> f64 {
        ((self.random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    pub fn happens(&mut self, chance: f64) -> bool {
        self.uniform() < chance
    }

    /// Returns 1 with this probability, otherwise 0.
    fn right(&mut self, chance: f64) -> f64 {
        f64::from(u8::from(self.happens(chance)))
    }

    /// Returns an index below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        usize::try_from((u128::from(self.random.next_u64()) * count as u128) >> 64).unwrap_or(0)
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Returns the logarithm of a gamma variate: G. Marsaglia and W. W. Tsang, ACM TOMS 26 (2000),
    /// boosted for shapes below 1. The logarithm does not underflow for tiny shapes.
    fn ln_gamma_variate(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            return self.ln_gamma_variate(shape + 1.0) + self.uniform().ln() / shape;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.uniform().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return (d * v).ln();
            }
        }
    }

    fn beta(&mut self, a: f64, b: f64) -> f64 {
        let (x, y) = (self.ln_gamma_variate(a), self.ln_gamma_variate(b));
        1.0 / (1.0 + (y - x).exp())
    }

    /// Draws a probability with mean `p`. Outcomes of 0 or 1 that share it have correlation `rho`.
    fn chance(&mut self, p: f64, rho: f64) -> f64 {
        if rho <= 0.0 {
            return p;
        }
        let scale = 1.0 / rho - 1.0;
        self.beta(p * scale, (1.0 - p) * scale)
    }

    fn one(&mut self, scores: Scores, p: f64) -> f64 {
        if scores == Scores::Even {
            return self.beta(4.0 * p, 4.0 * (1.0 - p));
        }
        let easy = self.uniform();
        at(scores, p, easy)
    }

    /// Returns the value shared by the attempts at one sample: the probability of 1, or the score
    /// to repeat.
    fn kind(&mut self, scores: Scores, p: f64, rho: f64) -> f64 {
        if scores == Scores::Binary {
            self.chance(p, rho)
        } else {
            self.one(scores, p)
        }
    }

    /// Returns the scores of attempts at a sample. Each attempt repeats the sample's score with
    /// some probability and is independent otherwise.
    fn attempts(&mut self, scores: Scores, p: f64, rho: f64, kind: f64, count: usize) -> Vec<f64> {
        if scores == Scores::Binary {
            return (0..count).map(|_| self.right(kind)).collect();
        }
        let repeats = rho.sqrt();
        (0..count)
            .map(|_| {
                if self.happens(repeats) {
                    kind
                } else {
                    self.one(scores, p)
                }
            })
            .collect()
    }

    /// Returns the shared values of the samples of a cluster. Each sample has the cluster's value
    /// with some probability, and a value of its own otherwise.
    fn kinds<K: Copy>(
        &mut self,
        alike: f64,
        samples: usize,
        mut kind: impl FnMut(&mut Self) -> K,
    ) -> Vec<K> {
        let shared = kind(self);
        let others = (1..samples).map(|_| {
            if self.happens(alike.sqrt()) {
                shared
            } else {
                kind(self)
            }
        });
        std::iter::once(shared).chain(others).collect()
    }

    /// Draws the scores of the attempts at each sample of a cluster. `shape.alike` is the
    /// correlation between samples.
    pub fn cluster(&mut self, scores: Scores, p: f64, shape: Shape) -> Vec<Vec<f64>> {
        let rho = shape.correlation;
        let kinds = self.kinds(shape.alike, shape.samples, |source| {
            source.kind(scores, p, rho)
        });
        kinds
            .into_iter()
            .map(|kind| self.attempts(scores, p, rho, kind, shape.attempts))
            .collect()
    }

    /// Returns the scores of two runs for each sample of a cluster.
    pub fn both(&mut self, scores: Scores, p: [f64; 2], shape: Shape) -> Vec<(Vec<f64>, Vec<f64>)> {
        let rho = shape.correlation;
        let kinds = self.kinds(shape.alike, shape.samples, |source| {
            source.kinds_of_both(scores, p, rho)
        });
        kinds
            .into_iter()
            .map(|kinds| {
                let [first, second] = [0, 1]
                    .map(|run| self.attempts(scores, p[run], rho, kinds[run], shape.attempts));
                (first, second)
            })
            .collect()
    }

    fn kinds_of_both(&mut self, scores: Scores, p: [f64; 2], rho: f64) -> [f64; 2] {
        match scores {
            // The second run is correct wherever the first is. On the other samples, it is correct
            // as often as its mean requires.
            Scores::Binary => {
                let chance = self.chance(p[0], rho);
                [
                    chance,
                    chance + (1.0 - chance) * (p[1] - p[0]) / (1.0 - p[0]),
                ]
            }
            Scores::Even | Scores::Skewed => p.map(|p| self.one(scores, p)),
            // Each sample is equally easy in both runs.
            Scores::Repeated | Scores::SkewedAlike => {
                let easy = self.uniform();
                p.map(|p| at(scores, p, easy))
            }
        }
    }
}

/// Returns the score of a sample that is easier than a share `easy` of all samples.
fn at(scores: Scores, p: f64, easy: f64) -> f64 {
    match scores {
        Scores::Skewed | Scores::SkewedAlike if p > 0.5 => 1.0 - at(scores, 1.0 - p, 1.0 - easy),
        Scores::Skewed | Scores::SkewedAlike => ((easy - (1.0 - 2.0 * p)) / (2.0 * p)).max(0.0),
        _ => f64::from(u8::from(easy > 1.0 - p)),
    }
}
