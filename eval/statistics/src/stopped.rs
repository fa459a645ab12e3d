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
        let interval = confidence_sequence(&groups, [-1.0, 1.0], self.largest(), self.rules.alpha)?;
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
        let rules = self.stopping_rules();
        let mut sum = 0.0;
        for _ in 0..RESAMPLES {
            let mut rules = rules.clone();
            let mut all = ClusterSum::default();
            for taken in 1..=units.max(groups.len()) {
                let group = draw();
                all.sum += group.sum;
                all.size += group.size;
                for bet in rules.iter_mut().flatten() {
                    let gain = bet.sign * group.sum + bet.shift * group.size;
                    bet.wealth.add(gain / self.largest());
                }
                if taken % block == 0 {
                    let bets = rules.iter_mut().flatten();
                    bets.for_each(|bet| bet.wealth.look());
                    let is_won = |bet: &StoppingBet| bet.wealth.p() <= bet.level;
                    if rules.iter().any(|rule| rule.iter().all(is_won)) {
                        break;
                    }
                }
            }
            sum += all.sum / all.size;
        }
        sum / RESAMPLES as f64
    }

    /// Returns the rules that end the race of a pair of cells, at the strictest level that Holm's
    /// method uses. A rule ends it when all of its bets have been won.
    fn stopping_rules(&self) -> Vec<Vec<StoppingBet>> {
        let rules = &self.rules;
        let (alpha, shift) = (rules.alpha, rules.min_difference);
        let cells = self.count() as f64;
        let bet = |sign: f64, shift: f64, level: f64| StoppingBet {
            sign,
            shift,
            level,
            wealth: Wealth::default(),
        };
        match &rules.against {
            RaceOpponents::Best => {
                let mut rules = vec![vec![bet(-1.0, 0.0, alpha / cells)]];
                if shift > 0.0 {
                    let level = alpha * crate::race::NOT_BETTER_SHARE;
                    rules.push(vec![bet(-1.0, shift, level)]);
                }
                rules
            }
            RaceOpponents::Baselines(_) => {
                let side = |sign: f64, shift: f64| bet(sign, shift, alpha / 2.0 / cells);
                let mut rules = vec![vec![side(-1.0, 0.0)], vec![side(1.0, 0.0)]];
                if shift > 0.0 {
                    rules.push(vec![side(-1.0, shift), side(1.0, shift)]);
                }
                rules
            }
        }
    }
}

/// A bet on the difference of two cells, which is won when the p value of its wealth is at most
/// `level`.
#[derive(Clone)]
struct StoppingBet {
    sign: f64,
    shift: f64,
    level: f64,
    wealth: Wealth,
}
