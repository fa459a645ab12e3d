//! Corrects the difference of a cell that stopped early.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::betting::{ClusterSum, Wealth, confidence_sequence};
use crate::race::{Race, RaceOpponents};

/// Difference between two cells when one of them stopped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StoppedDifference {
    /// Number of samples with a score for both cells.
    pub samples: u64,
    /// Observed mean difference. It tends to be too far from 0, because cells stop when it is far
    /// from 0.
    pub seen: f64,
    /// Observed difference minus the estimated bias from early stopping, limited to the interval.
    pub corrected: f64,
    /// Interval that contains the true difference with probability `1 − alpha`, regardless of when
    /// the cell stopped.
    pub interval: [f64; 2],
}

/// Number of simulated races for a correction.
const RESAMPLES: usize = 200;
const SEED: u64 = 20_261_125;

impl Race {
    /// Estimates the difference between `cell` and `other`, corrected for early stopping. Returns
    /// `None` if no sample has scores for both. `units` is the number of clusters in a full race;
    /// `block` is the number of clusters between two decisions.
    ///
    /// The bias is estimated and subtracted once, after J. Whitehead, "On the Bias of Maximum
    /// Likelihood Estimation Following a Sequential Test", Biometrika 73 (1986): clusters are
    /// resampled with replacement, and the difference of each resample is computed at the point
    /// where the same rules stop it. A result outside the interval is moved to the interval's end.
    pub fn estimate(
        &self,
        cell: usize,
        other: usize,
        units: usize,
        block: usize,
    ) -> Option<StoppedDifference> {
        let groups = self.differences(cell, other);
        let interval =
            confidence_sequence(&groups, [-1.0, 1.0], self.largest(), self.rules().alpha)?;
        let size: f64 = groups.iter().map(|group| group.size).sum();
        let seen = groups.iter().map(|group| group.sum).sum::<f64>() / size;
        let bias = self.resampled(&groups, units, block.max(1)) - seen;
        Some(StoppedDifference {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the value is a count"
            )]
            samples: size as u64,
            seen,
            corrected: (seen - bias).clamp(interval[0], interval[1]),
            interval,
        })
    }

    /// Returns the mean difference of the resamples when they stop.
    fn resampled(&self, groups: &[ClusterSum], units: usize, block: usize) -> f64 {
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let mut draw = || {
            let place = (u128::from(random.next_u64()) * groups.len() as u128) >> 64;
            groups[usize::try_from(place).unwrap_or_default()]
        };
        let walls = self.walls();
        let mut sum = 0.0;
        for _ in 0..RESAMPLES {
            let mut sides: Vec<Wealth> = walls.iter().map(|_| Wealth::default()).collect();
            let mut all = ClusterSum {
                sum: 0.0,
                size: 0.0,
            };
            for taken in 1..=units.max(groups.len()) {
                let group = draw();
                all.sum += group.sum;
                all.size += group.size;
                for (wealth, wall) in sides.iter_mut().zip(&walls) {
                    wealth.add((wall.sign * group.sum + wall.shift * group.size) / self.largest());
                }
                let mut reached = sides.iter().zip(&walls);
                if taken % block == 0
                    && reached.any(|(wealth, wall)| wealth.log() >= wall.level.recip().ln())
                {
                    break;
                }
            }
            sum += all.sum / all.size;
        }
        sum / RESAMPLES as f64
    }

    /// Returns the bounds at which bets on a pair of cells end the race, at the strictest level
    /// that Holm's method uses.
    fn walls(&self) -> Vec<StoppingBound> {
        let rules = self.rules();
        let (alpha, shift) = (rules.alpha, rules.min_difference);
        let cells = self.count() as f64;
        let wall = |sign: f64, shift: f64, level: f64| StoppingBound { sign, shift, level };
        match &rules.against {
            RaceOpponents::Best => {
                let mut walls = vec![wall(-1.0, 0.0, alpha / cells)];
                if shift > 0.0 {
                    walls.push(wall(-1.0, shift, alpha * crate::race::NOT_BETTER_SHARE));
                }
                walls
            }
            RaceOpponents::Baselines(_) => [-1.0, 1.0]
                .map(|sign| wall(sign, 0.0, alpha / 2.0 / cells))
                .into(),
        }
    }
}

struct StoppingBound {
    sign: f64,
    shift: f64,
    level: f64,
}
