//! Simulates sweeps whose true scores are known, and runs a race over each.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use statistics::{
    Race, RaceOpponents, Rules, SampleCluster, Standing, Verdict, confidence_sequence,
};

/// Distribution of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scores {
    /// 0 or 1.
    Answers,
    /// Multiples of 1/5: the mean of five correlated answers.
    Fifths,
}

/// Design of a simulated sweep.
#[derive(Debug, Clone, Copy)]
pub struct Design {
    /// Description of the true scores.
    pub name: &'static str,
    pub cells: usize,
    /// Difference between the true score of the last cell and that of the best other cell.
    pub better: f64,
    /// Whether the other cells get worse step by step instead of being equal.
    pub is_graded: bool,
    /// True score of the other cells, or of the best of them if `is_graded`.
    pub base: f64,
    pub scores: Scores,
    /// Number of samples per cluster.
    pub cluster: usize,
    pub min_difference: f64,
    /// Whether cells are compared with the first cell instead of the best.
    pub baseline: bool,
    /// Minimum share of attempts saved; `None` for no threshold.
    pub saved: Option<f64>,
    /// Whether `--quick` runs the design.
    pub is_quick: bool,
}

const PLAIN: Design = Design {
    name: "no difference",
    cells: 8,
    better: 0.0,
    is_graded: false,
    base: 0.5,
    scores: Scores::Answers,
    cluster: 1,
    min_difference: 0.1,
    baseline: false,
    saved: None,
    is_quick: false,
};
const BETTER: Design = Design {
    name: "one is 15 points better",
    better: 0.15,
    saved: Some(0.4),
    ..PLAIN
};

pub const DESIGNS: [Design; 24] = [
    Design {
        is_quick: true,
        ..PLAIN
    },
    Design { cells: 16, ..PLAIN },
    Design {
        name: "no difference, clusters of 4",
        cluster: 4,
        ..PLAIN
    },
    Design {
        name: "no difference, fifths",
        scores: Scores::Fifths,
        cluster: 2,
        cells: 16,
        ..PLAIN
    },
    Design {
        name: "no difference, mean 0.9",
        base: 0.9,
        cells: 16,
        ..PLAIN
    },
    Design {
        min_difference: 0.0,
        cells: 16,
        ..PLAIN
    },
    Design {
        name: "no difference, against a baseline",
        baseline: true,
        cells: 16,
        ..PLAIN
    },
    Design {
        name: "no difference, against a baseline, clusters of 4",
        baseline: true,
        cluster: 4,
        min_difference: 0.0,
        ..PLAIN
    },
    Design {
        is_quick: true,
        ..BETTER
    },
    Design {
        cells: 12,
        ..BETTER
    },
    Design {
        cells: 16,
        ..BETTER
    },
    Design {
        name: "one is 20 points better",
        better: 0.2,
        ..BETTER
    },
    Design {
        name: "one is 20 points better",
        better: 0.2,
        cells: 16,
        ..BETTER
    },
    Design {
        name: "one is 15 points better, mean 0.7",
        base: 0.7,
        cells: 12,
        ..BETTER
    },
    Design {
        name: "one is 15 points better, clusters of 2",
        cluster: 2,
        cells: 12,
        saved: Some(0.38),
        ..BETTER
    },
    Design {
        name: "one is 15 points better, clusters of 4",
        cluster: 4,
        cells: 12,
        saved: None,
        ..BETTER
    },
    Design {
        name: "one is 15 points better, fifths",
        scores: Scores::Fifths,
        cells: 12,
        ..BETTER
    },
    Design {
        name: "one is 20 points better, fifths, clusters of 2",
        better: 0.2,
        scores: Scores::Fifths,
        cluster: 2,
        cells: 16,
        ..BETTER
    },
    Design {
        min_difference: 0.0,
        cells: 12,
        saved: None,
        ..BETTER
    },
    Design {
        name: "one is 20 points better",
        better: 0.2,
        min_difference: 0.0,
        cells: 12,
        saved: None,
        ..BETTER
    },
    Design {
        name: "worse by steps, one is 15 points better",
        is_graded: true,
        cells: 12,
        ..BETTER
    },
    Design {
        name: "one is 5 points better",
        better: 0.05,
        saved: None,
        cells: 12,
        ..BETTER
    },
    Design {
        name: "one is 20 points better, against a baseline",
        better: 0.2,
        baseline: true,
        saved: None,
        ..BETTER
    },
    Design {
        name: "worse by steps, against a baseline",
        is_graded: true,
        baseline: true,
        saved: None,
        cells: 12,
        ..BETTER
    },
];

/// Number of samples in a sweep.
pub const SAMPLES: usize = 200;
const BLOCK: usize = 10;

/// Number of sweeps of a design for which the bias of differences is corrected. There are few,
/// because the correction is slow.
const CORRECTED: usize = 150;

/// Outcome of a race.
pub struct Outcome {
    pub wrong: bool,
    pub best_kept: bool,
    pub is_decided: bool,
    pub saved: f64,
    /// Whether each interval contains the true value, for comparisons with the first cell and with
    /// the cell that remained longest.
    pub held: [Vec<bool>; 2],
    /// Errors of the uncorrected and the corrected difference from the cell that remained longest,
    /// for each cell that stopped.
    pub off: Vec<[f64; 2]>,
}

struct Source(ChaCha8Rng);

impl Source {
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }
}

impl Design {
    /// Returns the true score of each cell.
    pub fn truth(&self) -> Vec<f64> {
        let of = |cell: usize| {
            if cell + 1 == self.cells {
                self.base + self.better
            } else if self.is_graded {
                self.base - 0.2 * (cell as f64 / self.cells as f64)
            } else {
                self.base
            }
        };
        (0..self.cells).map(of).collect()
    }

    /// Simulates a cluster. The score of every second cell, including the last, depends on the
    /// sample's difficulty with probability `1/√2`, so that the correlation between two of these
    /// cells is about 0.5. The other cells are independent. About half of the samples in a cluster
    /// are as difficult as the first.
    fn unit(&self, truth: &[f64], source: &mut Source) -> SampleCluster {
        let answers = match self.scores {
            Scores::Answers => 1,
            Scores::Fifths => 5,
        };
        let first = source.uniform();
        let rows = (0..self.cluster).map(|sample| {
            let hardness = if sample == 0 || source.uniform() < 0.5 {
                first
            } else {
                source.uniform()
            };
            let score = |(cell, p): (usize, &f64)| {
                let is_alike = cell % 2 == (self.cells - 1) % 2;
                let shares = is_alike && source.uniform() < std::f64::consts::FRAC_1_SQRT_2;
                let of_cell = source.uniform();
                let right = (0..answers).filter(|_| {
                    let own = if answers == 1 || source.uniform() < 0.5 {
                        of_cell
                    } else {
                        source.uniform()
                    };
                    (if shares { hardness } else { own }) < *p
                });
                Some(right.count() as f64 / f64::from(answers))
            };
            truth.iter().enumerate().map(score).collect()
        });
        SampleCluster(rows.collect())
    }
}

/// Simulates a sweep and runs a race over it.
pub fn run(design: &Design, seed: u64, number: usize) -> Outcome {
    let stream = (seed << 32) ^ number as u64;
    let mut source = Source(ChaCha8Rng::seed_from_u64(stream));
    let truth = design.truth();
    let units: Vec<SampleCluster> = (0..SAMPLES / design.cluster)
        .map(|_| design.unit(&truth, &mut source))
        .collect();
    let against = if design.baseline {
        RaceOpponents::Baselines(vec![0; design.cells])
    } else {
        RaceOpponents::Best
    };
    let rules = Rules {
        alpha: 0.05,
        min_difference: design.min_difference,
        against,
    };
    let mut race = Race::new(rules, design.cells, design.cluster);
    let mut standings: Vec<Standing> = Vec::new();
    for block in units.chunks((BLOCK / design.cluster).max(1)) {
        if race.is_over() {
            break;
        }
        let running = race.running();
        let seen = |unit: &SampleCluster| {
            let row = |scores: &Vec<Option<f64>>| {
                let cells = scores.iter().enumerate();
                cells
                    .map(|(cell, score)| score.filter(|_| running.contains(&cell)))
                    .collect()
            };
            SampleCluster(unit.0.iter().map(row).collect())
        };
        standings = race.add(block.iter().map(seen).collect());
    }
    judge(design, &truth, &race, &standings, number < CORRECTED)
}

fn judge(
    design: &Design,
    truth: &[f64],
    race: &Race,
    standings: &[Standing],
    correct: bool,
) -> Outcome {
    const EQUAL: f64 = 1e-9;
    let most = truth.iter().copied().fold(0.0, f64::max);
    let best = truth.len() - 1;
    let is_wrong = |(cell, standing): (usize, &Standing)| {
        let others = truth.iter().enumerate().filter(|(other, _)| *other != cell);
        let rival = if design.baseline {
            truth[0]
        } else {
            others.map(|(_, score)| *score).fold(0.0, f64::max)
        };
        let by = truth[cell] - rival;
        match standing.verdict {
            Some(Verdict::Worse) => by >= -EQUAL,
            Some(Verdict::NotBetter) => by >= design.min_difference - EQUAL,
            Some(Verdict::Better) => by <= EQUAL,
            Some(Verdict::Alike) => by.abs() >= design.min_difference - EQUAL,
            Some(Verdict::Won) | None => false,
        }
    };
    let taken: u64 = standings.iter().map(|standing| standing.samples).sum();
    let last = standings.iter().enumerate().filter(|(_, standing)| {
        matches!(
            standing.verdict,
            None | Some(Verdict::Won | Verdict::Better)
        )
    });
    let last = last
        .max_by(|one, other| {
            one.1.samples.cmp(&other.1.samples).then(
                one.1
                    .mean
                    .unwrap_or(0.0)
                    .total_cmp(&other.1.mean.unwrap_or(0.0)),
            )
        })
        .map_or(best, |(cell, _)| cell);
    let holds = |reference: usize| -> Vec<bool> {
        let others = (0..truth.len()).filter(|cell| *cell != reference);
        others
            .filter_map(|cell| {
                let groups = race.differences(cell, reference);
                let ends = confidence_sequence(&groups, [-1.0, 1.0], race.largest(), 0.05)?;
                let by = truth[cell] - truth[reference];
                Some(ends[0] <= by && by <= ends[1])
            })
            .collect()
    };
    let off = standings.iter().enumerate().filter(|(_, standing)| {
        matches!(standing.verdict, Some(Verdict::Worse | Verdict::NotBetter))
    });
    let off = off.filter_map(|(cell, _)| {
        if cell == last || design.baseline || !correct {
            return None;
        }
        let estimate =
            race.estimate(cell, last, SAMPLES / design.cluster, BLOCK / design.cluster)?;
        let by = truth[cell] - truth[last];
        Some([estimate.seen - by, estimate.corrected - by])
    });
    Outcome {
        wrong: standings.iter().enumerate().any(is_wrong),
        best_kept: most <= design.base + EQUAL
            || matches!(
                standings[best].verdict,
                None | Some(Verdict::Won | Verdict::Better)
            ),
        is_decided: race.is_over(),
        saved: 1.0 - taken as f64 / (SAMPLES * truth.len()) as f64,
        held: [holds(0), holds(last)],
        off: off.collect(),
    }
}
