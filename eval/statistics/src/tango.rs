//! Tango's score test and interval of a paired difference of scores of 0 or 1.

use crate::quantile::{UPPER, normal_quantile, normal_two_sided};

/// Number of bisection steps; more than the bits in a float's significand.
const HALVINGS: u32 = 60;

/// Paired scores of two runs, as counts.
///
/// T. Tango, "Equivalence Test and Confidence Interval for the Difference in Proportions for the
/// Paired-Sample Design", Statistics in Medicine 17 (1998): the score of the hypothesis "the
/// difference is `δ`", with the variance at the maximum-likelihood probabilities under it. The
/// interval contains all `δ` that the test does not reject. The test of `δ = 0` is McNemar's
/// without continuity correction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tango {
    /// Number of samples on which only the second run is correct.
    pub wins: f64,
    /// Number of samples on which only the first run is correct.
    pub losses: f64,
    /// Total number of samples, at least 1.
    pub samples: f64,
}

impl Tango {
    /// Returns the score statistic for a difference between -1 and 1. If this is the true
    /// difference, the statistic is asymptotically standard normal.
    pub fn score(&self, difference: f64) -> f64 {
        if difference < 0.0 {
            let turned = Self {
                wins: self.losses,
                losses: self.wins,
                ..*self
            };
            return -turned.score(-difference);
        }
        let n = self.samples;
        let distance = self.wins - self.losses - n * difference;
        // Maximum-likelihood probability of a loss, given the difference: the larger root of 2n·q²
        // + b·q + c = 0.
        let b = (2.0 * n - self.wins + self.losses) * difference - self.wins - self.losses;
        let c = -self.losses * difference * (1.0 - difference);
        let lost = ((b * b - 8.0 * n * c).max(0.0).sqrt() - b).max(0.0) / (4.0 * n);
        let variance = n * (2.0 * lost + difference * (1.0 - difference));
        if variance > 0.0 {
            distance / variance.sqrt()
        } else if distance.abs() < 1e-9 {
            0.0
        } else {
            f64::INFINITY.copysign(distance)
        }
    }

    /// Returns the two-sided p value for the null hypothesis of no difference.
    pub fn p(&self) -> f64 {
        normal_two_sided(self.score(0.0))
    }

    /// Returns the 95 % interval: all differences that the test does not reject at 0.05.
    pub fn interval(&self) -> [f64; 2] {
        let z = normal_quantile(UPPER);
        let middle = (self.wins - self.losses) / self.samples;
        let end = |to: f64| {
            let is_inside = |difference: f64| self.score(difference).abs() <= z;
            if is_inside(to) {
                return to;
            }
            let (mut inside, mut outside) = (middle, to);
            for _ in 0..HALVINGS {
                let place = f64::midpoint(inside, outside);
                if is_inside(place) {
                    inside = place;
                } else {
                    outside = place;
                }
            }
            inside
        };
        [end(-1.0), end(1.0)]
    }
}
