//! What a cell that stopped early truly differs by.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::betting::{Group, Wealth, confidence_sequence};
use crate::race::{Race, Rivals};

/// A difference at the moment when it was no longer looked at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stopped {
    /// Samples of both.
    pub samples: u64,
    /// The mean difference as it was seen then: too far from 0 on average, for it stopped because it was far from 0.
    pub seen: f64,
    /// That, less what stopping does to such a difference on average.
    pub corrected: f64,
    /// Its interval, which holds with probability `1 − alpha` at whatever moment it stopped.
    pub interval: [f64; 2],
}

/// Races of two that a correction is made of.
const RESAMPLES: usize = 200;
const SEED: u64 = 20_261_125;

impl Race {
    /// How far `cell` is from `other`, corrected for having stopped; none without a sample of both. `units` is how many clusters
    /// a cell takes that does not stop, `block` how many there are between two decisions.
    ///
    /// The bias is estimated and taken away once, after J. Whitehead, "On the Bias of Maximum Likelihood Estimation Following a
    /// Sequential Test", Biometrika 73 (1986): clusters are drawn with replacement from those at hand, and in each of these
    /// series the difference is taken where the same rules stop it. Where that leaves the interval, its end is taken.
    pub fn estimate(
        &self,
        cell: usize,
        other: usize,
        units: usize,
        block: usize,
    ) -> Option<Stopped> {
        let groups = self.differences(cell, other);
        let interval =
            confidence_sequence(&groups, [-1.0, 1.0], self.largest(), self.rules().alpha)?;
        let size: f64 = groups.iter().map(|group| group.size).sum();
        let seen = groups.iter().map(|group| group.sum).sum::<f64>() / size;
        let bias = self.resampled(&groups, units, block.max(1)) - seen;
        Some(Stopped {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a count"
            )]
            samples: size as u64,
            seen,
            corrected: (seen - bias).clamp(interval[0], interval[1]),
            interval,
        })
    }

    /// The mean over resamples of the difference at which they stop.
    fn resampled(&self, groups: &[Group], units: usize, block: usize) -> f64 {
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let mut draw = || {
            let place = (u128::from(random.next_u64()) * groups.len() as u128) >> 64;
            groups[usize::try_from(place).unwrap_or_default()]
        };
        let walls = self.walls();
        let mut sum = 0.0;
        for _ in 0..RESAMPLES {
            let mut sides: Vec<Wealth> = walls.iter().map(|_| Wealth::default()).collect();
            let mut all = Group {
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

    /// At which wealth a bettor on one of two ends its race, by the strictest level of the family.
    fn walls(&self) -> Vec<Wall> {
        let rules = self.rules();
        let (alpha, shift) = (rules.alpha, rules.min_difference);
        let cells = self.count() as f64;
        let wall = |sign: f64, shift: f64, level: f64| Wall { sign, shift, level };
        match &rules.against {
            Rivals::Best => {
                let mut walls = vec![wall(-1.0, 0.0, alpha / cells)];
                if shift > 0.0 {
                    walls.push(wall(-1.0, shift, alpha * crate::race::FOR_MATTERS));
                }
                walls
            }
            Rivals::Baselines(_) => [-1.0, 1.0]
                .map(|sign| wall(sign, 0.0, alpha / 2.0 / cells))
                .into(),
        }
    }
}

struct Wall {
    sign: f64,
    shift: f64,
    level: f64,
}
