//! Races: all cells run the same samples block by block, and each cell stops when its verdict is
//! statistically certain.

use serde::{Deserialize, Serialize};

use crate::betting::{ClusterSum, Wealth};
use crate::holm::holm;

/// Rules of a race: error probability, smallest difference that matters, and opponents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// Maximum probability of any wrong decision in the whole race; above 0 and below 1.
    pub alpha: f64,
    /// Smallest difference that matters; at least 0 and below 1.
    pub min_difference: f64,
    /// Opponents of each cell.
    pub against: RaceOpponents,
}

/// Cells that each cell of a race is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RaceOpponents {
    /// The best of the other cells.
    Best,
    /// For each cell, the index of its baseline. A cell whose entry is its own index is a baseline.
    Baselines(Vec<usize>),
}

/// Reason why a cell stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The cell is worse than the best cell or its baseline.
    Worse,
    /// The cell is not better than all others by the minimum difference, but may be equally good.
    NotBetter,
    /// The cell is better than its baseline.
    Better,
    /// The cell and its baseline differ by less than the minimum difference.
    Alike,
    /// All other cells stopped, or, for a baseline, all cells compared with it.
    Won,
}

/// A cluster of samples, each with the score of every cell; `None` for a cell that has no score or
/// has stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleCluster(pub Vec<Vec<Option<f64>>>);

/// State of a cell after a block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Mean score of the cell.
    pub mean: Option<f64>,
    /// Number of samples with a score.
    pub samples: u64,
    /// Cell that this one is compared with on the next cluster.
    pub rival: Option<usize>,
    /// p value of the hypothesis that the cell is one of the best, or that it does not differ from
    /// its baseline. Corrected by Holm's method over all compared cells.
    pub p: f64,
    /// p value of the hypothesis that the cell is the best, or differs from its baseline, by at
    /// least the minimum difference.
    pub p_matters: f64,
    /// Reason why the cell stopped, if it has.
    pub verdict: Option<Verdict>,
}

/// State of a race.
///
/// **Against the best.** On each cluster, a bettor stakes on the cell being worse than its rival:
/// the cell that was the best of the others before that cluster (on the first, the mean of all
/// others). If the cell is one of the best, no bet has a positive mean, whichever cell is the
/// rival, so the probability that the [`Wealth`] reaches `1/a` is at most `a`. There are bets
/// against two hypotheses:
///
/// - *The cell is better than all others by `min_difference`.* Only one cell can satisfy this
///   hypothesis, so multiple comparisons need no correction: at four fifths of `alpha` the cell
///   stops as [`Verdict::NotBetter`]. Therefore, a cell that is the best by this difference stops
///   with a probability of at most `0.8 alpha`.
/// - *The cell is one of the best.* All cells can satisfy this hypothesis. At a fifth of `alpha`,
///   corrected by [`holm`] over all cells, the cell stops as [`Verdict::Worse`]. Without a
///   `min_difference` this is the only hypothesis, at `alpha`.
///
/// **Against baselines.** A cell stops as better or worse at `alpha/2` on each side, corrected by
/// Holm's method over the cells that are not baselines. It stops as [`Verdict::Alike`] if it is
/// neither better nor worse by `min_difference` at the same level. For every true difference, at
/// most one bettor on each side can be wrong, because a bettor who rules out more has less wealth.
///
/// Sources: G. Shafer, "Testing by Betting", J. Royal Statistical Society A 184 (2021), for wealth
/// as evidence; V. Vovk and R. Wang, "E-values: Calibration, Combination, and Applications", Annals
/// of Statistics 49 (2021), for p values and multiple hypotheses; O. Maron and A. Moore, "The
/// Racing Algorithm", Artificial Intelligence Review 11 (1997), and M. Birattari et al., "A Racing
/// Algorithm for Configuring Metaheuristics", GECCO (2002), for races in blocks.
#[derive(Debug, Clone)]
pub struct Race {
    pub(crate) rules: Rules,
    largest: f64,
    cells: Vec<CellState>,
    units: Vec<SampleCluster>,
}

#[derive(Debug, Clone, Default)]
struct CellState {
    /// Wealth from bets that the cell is worse than its rival, and worse than its rival plus
    /// `min_difference`.
    below: [Wealth; 2],
    /// In races against baselines, wealth from bets that the cell is better than its rival, and
    /// better than its rival minus `min_difference`.
    above: [Wealth; 2],
    sum: f64,
    samples: u64,
    rival: Option<usize>,
    verdict: Option<Verdict>,
}

impl Race {
    /// Creates a race of `cells` cells. Clusters must have at most `largest` samples.
    pub fn new(rules: Rules, cells: usize, largest: usize) -> Self {
        Self {
            rules,
            largest: largest.max(1) as f64,
            cells: vec![CellState::default(); cells],
            units: Vec::new(),
        }
    }

    /// Whether a cell is still running.
    pub fn is_running(&self, cell: usize) -> bool {
        self.cells[cell].verdict.is_none()
    }

    /// Returns the running cells. In a race against baselines, these include the baselines of
    /// undecided cells.
    pub fn running(&self) -> Vec<usize> {
        let all = 0..self.cells.len();
        all.filter(|cell| self.is_running(*cell)).collect()
    }

    /// Whether all cells have been decided.
    pub fn is_over(&self) -> bool {
        self.running().is_empty()
    }

    /// Returns the number of cells.
    pub(crate) fn count(&self) -> usize {
        self.cells.len()
    }

    /// Returns the maximum number of samples in a cluster.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// Adds a block of clusters in race order and decides which cells stop.
    pub fn add(&mut self, block: Vec<SampleCluster>) -> Vec<Standing> {
        for unit in block {
            let rivals: Vec<Rival> = (0..self.cells.len()).map(|cell| self.rival(cell)).collect();
            for cell in self.running() {
                self.bet(cell, &rivals[cell], &unit);
            }
            self.units.push(unit);
        }
        for cell in self.running() {
            self.cells[cell].rival = match self.rival(cell) {
                Rival::Cell(rival) => Some(rival),
                Rival::Others | Rival::None => None,
            };
        }
        self.decide()
    }

    /// Returns the rival of a cell on the next cluster. The choice depends only on earlier results.
    fn rival(&self, cell: usize) -> Rival {
        match &self.rules.against {
            RaceOpponents::Baselines(baselines) => match baselines.get(cell) {
                Some(baseline) if *baseline != cell => Rival::Cell(*baseline),
                _ => Rival::None,
            },
            RaceOpponents::Best if self.units.is_empty() => Rival::Others,
            RaceOpponents::Best => self
                .best_of(|other| other != cell)
                .map_or(Rival::None, Rival::Cell),
        }
    }

    /// Returns the running cell with the best mean among the wanted cells, or the first of several
    /// equal ones.
    fn best_of(&self, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let running = self.running().into_iter().filter(|cell| wanted(*cell));
        running
            .filter_map(|cell| Some((cell, self.cells[cell].mean()?)))
            .reduce(|best, other| if other.1 > best.1 { other } else { best })
            .map(|(cell, _)| cell)
    }

    fn bet(&mut self, cell: usize, rival: &Rival, unit: &SampleCluster) {
        let matters = self.rules.min_difference;
        let mut behind = 0.0;
        let mut size = 0.0;
        for scores in &unit.0 {
            let Some(own) = scores[cell] else { continue };
            let racer = &mut self.cells[cell];
            racer.sum += own;
            racer.samples += 1;
            if let Some(other) = rival.score(scores, cell) {
                behind += other - own;
                size += 1.0;
            }
        }
        let racer = &mut self.cells[cell];
        let scaled = |gain: f64| gain / self.largest;
        for (wealth, shift) in racer.below.iter_mut().zip([0.0, matters]) {
            wealth.add(scaled(behind + size * shift));
        }
        for (wealth, shift) in racer.above.iter_mut().zip([0.0, matters]) {
            wealth.add(scaled(size * shift - behind));
        }
    }

    fn decide(&mut self) -> Vec<Standing> {
        for racer in self
            .cells
            .iter_mut()
            .filter(|racer| racer.verdict.is_none())
        {
            let sides = racer.below.iter_mut().chain(&mut racer.above);
            sides.for_each(Wealth::look);
        }
        let (p, p_matters) = match &self.rules.against {
            RaceOpponents::Best => self.decide_best(),
            RaceOpponents::Baselines(baselines) => self.decide_baselines(&baselines.clone()),
        };
        let standings = self.cells.iter().zip(p).zip(p_matters);
        standings
            .map(|((racer, p), p_matters)| Standing {
                mean: racer.mean(),
                samples: racer.samples,
                rival: racer.rival,
                p,
                p_matters,
                verdict: racer.verdict,
            })
            .collect()
    }

    fn decide_best(&mut self) -> (Vec<f64>, Vec<f64>) {
        let Rules {
            alpha,
            min_difference,
            ..
        } = self.rules;
        let (for_worse, for_matters) = if min_difference > 0.0 {
            (alpha * (1.0 - NOT_BETTER_SHARE), alpha * NOT_BETTER_SHARE)
        } else {
            (alpha, 0.0)
        };
        let p: Vec<f64> = self.cells.iter().map(|cell| cell.below[0].p()).collect();
        let p = holm(&p);
        let p_matters: Vec<f64> = self.cells.iter().map(|cell| cell.below[1].p()).collect();
        // Stop the worst cells first, so that the best cell remains if all cells could stop.
        let mut running = self.running();
        running.sort_by(|one, other| {
            let mean = |cell: &usize| self.cells[*cell].mean().unwrap_or(0.0);
            mean(one).total_cmp(&mean(other)).then(other.cmp(one))
        });
        for cell in running {
            if self.running().len() < 2 {
                break;
            }
            let verdict = if p[cell] <= for_worse {
                Verdict::Worse
            } else if p_matters[cell] <= for_matters {
                Verdict::NotBetter
            } else {
                continue;
            };
            self.cells[cell].verdict = Some(verdict);
        }
        if let [last] = self.running()[..]
            && self.cells.len() > 1
        {
            self.cells[last].verdict = Some(Verdict::Won);
        }
        (p, p_matters)
    }

    fn decide_baselines(&mut self, baselines: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let alpha = self.rules.alpha;
        let measured: Vec<usize> = (0..self.cells.len())
            .filter(|cell| {
                baselines
                    .get(*cell)
                    .is_some_and(|baseline| baseline != cell)
            })
            .collect();
        let side = |wealth: &Wealth| (2.0 * wealth.p()).min(1.0);
        let corrected = |of: &dyn Fn(&CellState) -> f64| {
            let values: Vec<f64> = measured.iter().map(|cell| of(&self.cells[*cell])).collect();
            let mut all = vec![1.0; self.cells.len()];
            for (cell, p) in measured.iter().zip(holm(&values)) {
                all[*cell] = p;
            }
            all
        };
        let p = corrected(&|racer| side(&racer.below[0]).min(side(&racer.above[0])));
        let p_matters = corrected(&|racer| side(&racer.below[1]).max(side(&racer.above[1])));
        for cell in measured.iter().copied() {
            let racer = &mut self.cells[cell];
            if racer.verdict.is_some() {
                continue;
            }
            if p[cell] <= alpha {
                let is_worse = racer.below[0].p() < racer.above[0].p();
                racer.verdict = Some(if is_worse {
                    Verdict::Worse
                } else {
                    Verdict::Better
                });
            } else if self.rules.min_difference > 0.0 && p_matters[cell] <= alpha {
                racer.verdict = Some(Verdict::Alike);
            }
        }
        // A baseline runs while any running cell is compared with it.
        for cell in 0..self.cells.len() {
            let needed = measured
                .iter()
                .any(|other| baselines[*other] == cell && self.is_running(*other));
            if !measured.contains(&cell) && !needed && self.is_running(cell) {
                self.cells[cell].verdict = Some(Verdict::Won);
            }
        }
        (p, p_matters)
    }

    /// Returns each cluster's sum of `cell − other` over the samples on which both cells have a
    /// score.
    pub fn differences(&self, cell: usize, other: usize) -> Vec<ClusterSum> {
        let of_unit = |unit: &SampleCluster| {
            let pairs = unit.0.iter();
            let pairs = pairs.filter_map(|scores| Some(scores[cell]? - scores[other]?));
            pairs.fold(ClusterSum::default(), |group, difference| ClusterSum {
                sum: group.sum + difference,
                size: group.size + 1.0,
            })
        };
        let groups = self.units.iter().map(of_unit);
        groups.filter(|group| group.size > 0.0).collect()
    }
}

/// Share of alpha for stopping cells as [`Verdict::NotBetter`].
pub(crate) const NOT_BETTER_SHARE: f64 = 0.8;

impl CellState {
    fn mean(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.sum / self.samples as f64)
    }
}

enum Rival {
    Cell(usize),
    /// The mean of all other cells.
    Others,
    None,
}

impl Rival {
    fn score(&self, scores: &[Option<f64>], own: usize) -> Option<f64> {
        match self {
            Self::Cell(cell) => scores[*cell],
            Self::Others => {
                let others = scores.iter().enumerate().filter(|(cell, _)| *cell != own);
                let others: Vec<f64> = others.filter_map(|(_, score)| *score).collect();
                (!others.is_empty()).then(|| others.iter().sum::<f64>() / others.len() as f64)
            }
            Self::None => None,
        }
    }
}
