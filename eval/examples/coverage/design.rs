//! The runs that are simulated, and what their figures truly are.

use eval::statistics::{
    Pair, best_of, estimate, estimate_of_attempts, paired, pass_at_k, pass_hat_k,
};

use super::draw::{Scores, Source};

/// True means.
const MEANS: [f64; 9] = [0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95];
/// Correlations within a cluster.
const CORRELATIONS: [f64; 5] = [0.0, 0.1, 0.3, 0.5, 0.9];

/// What has an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    /// The mean over attempts of clusters of one size.
    Score(Scores),
    /// The same, and every fifth cluster is five times as large as the others.
    Uneven(Scores),
    /// The mean over samples of the mean of their attempts.
    MeanOfAttempts(Scores),
    /// The chance that of two attempts one is right, or both.
    PassAt2(Scores),
    PassHat2(Scores),
    /// The mean over samples of the best of their attempts.
    Best(Scores),
    /// The difference of two runs, the second better by so much.
    Difference(Scores, f64),
}

/// In the order of the table.
const FIGURES: [Figure; 26] = [
    Figure::Score(Scores::Binary),
    Figure::Score(Scores::Repeated),
    Figure::Score(Scores::Even),
    Figure::Score(Scores::Skewed),
    Figure::Uneven(Scores::Binary),
    Figure::Uneven(Scores::Repeated),
    Figure::Uneven(Scores::Skewed),
    Figure::MeanOfAttempts(Scores::Binary),
    Figure::MeanOfAttempts(Scores::Repeated),
    Figure::PassAt2(Scores::Binary),
    Figure::PassAt2(Scores::Repeated),
    Figure::PassHat2(Scores::Binary),
    Figure::PassHat2(Scores::Repeated),
    Figure::Best(Scores::Binary),
    Figure::Best(Scores::Repeated),
    Figure::Difference(Scores::Binary, 0.0),
    Figure::Difference(Scores::Binary, 0.1),
    Figure::Difference(Scores::Binary, 0.4),
    Figure::Difference(Scores::Repeated, 0.0),
    Figure::Difference(Scores::Repeated, 0.1),
    Figure::Difference(Scores::Repeated, 0.4),
    Figure::Difference(Scores::Even, 0.1),
    Figure::Difference(Scores::Skewed, 0.0),
    Figure::Difference(Scores::Skewed, 0.1),
    Figure::Difference(Scores::SkewedAlike, 0.0),
    Figure::Difference(Scores::SkewedAlike, 0.1),
];

impl Figure {
    pub fn name(self) -> String {
        let of = |what: &str| format!("{what}, {}", self.scores().name());
        match self {
            Self::Score(_) => of("score"),
            Self::Uneven(_) => of("score") + ", uneven clusters",
            Self::MeanOfAttempts(_) => of("mean of attempts"),
            Self::PassAt2(_) => of("pass@2"),
            Self::PassHat2(_) => of("pass^2"),
            Self::Best(_) => of("best of attempts"),
            Self::Difference(_, by) => of(&format!("difference of {by}")),
        }
    }

    pub const fn scores(self) -> Scores {
        match self {
            Self::Score(scores)
            | Self::Uneven(scores)
            | Self::MeanOfAttempts(scores)
            | Self::PassAt2(scores)
            | Self::PassHat2(scores)
            | Self::Best(scores)
            | Self::Difference(scores, _) => scores,
        }
    }

    /// Whether it needs more than one attempt at a sample.
    const fn takes_several(self) -> bool {
        matches!(
            self,
            Self::MeanOfAttempts(_) | Self::PassAt2(_) | Self::PassHat2(_) | Self::Best(_)
        )
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Design {
    pub figure: Figure,
    pub samples: usize,
    pub attempts: usize,
    pub correlation: f64,
}

impl Design {
    /// The true means that it is drawn with.
    pub fn means(&self) -> impl Iterator<Item = f64> {
        MEANS.into_iter().filter(|p| match self.figure {
            // Those above a half mirror the others, and so do their intervals.
            Figure::Score(_) | Figure::Uneven(_) | Figure::MeanOfAttempts(_) => *p <= 0.5,
            Figure::Difference(_, by) => p + by < 1.0,
            // Nearer to 0 and 1 than that are no true means of scores either.
            Figure::PassAt2(_) | Figure::PassHat2(_) | Figure::Best(_) => {
                (0.04..=0.96).contains(&self.truth(*p))
            }
        })
    }

    /// Whether the two runs score the same at most samples: of skewed scores, where most samples are 0 throughout in both runs,
    /// or 1.
    pub fn mostly_ties(&self, p: f64) -> bool {
        let Figure::Difference(Scores::Skewed, by) = self.figure else {
            return false;
        };
        let attempts = i32::try_from(self.attempts).unwrap_or(i32::MAX);
        let repeats = self.correlation.sqrt();
        let throughout = |p: f64| {
            let end = 1.0 - 2.0 * p.min(1.0 - p);
            end * (repeats + (1.0 - repeats) * end).powi(attempts)
        };
        throughout(p) * throughout(p + by) >= 0.5
    }

    /// One run: whether its interval holds the true value, if it has one.
    pub fn run(&self, p: f64, source: &mut Source) -> Option<bool> {
        let truth = self.truth(p);
        let [low, high] = self.interval(p, source)?;
        Some(low <= truth && truth <= high)
    }

    fn interval(&self, p: f64, source: &mut Source) -> Option<[f64; 2]> {
        let scores = self.figure.scores();
        let mut draw = |size| source.cluster(scores, p, self.correlation, size);
        let found = match self.figure {
            Figure::Difference(_, by) => return self.difference(by, p, source),
            Figure::Score(_) | Figure::Uneven(_) => {
                let mut values: Vec<(usize, f64)> = Vec::new();
                for cluster in 0..self.samples {
                    let large = matches!(self.figure, Figure::Uneven(_)) && cluster % 5 == 0;
                    let drawn = draw(self.attempts * if large { 5 } else { 1 });
                    values.extend(drawn.into_iter().map(|score| (cluster, score)));
                }
                estimate(&values)
            }
            _ => {
                let mut values: Vec<(usize, f64, f64)> = Vec::new();
                for cluster in 0..self.samples {
                    let drawn = draw(self.attempts);
                    values.push((cluster, self.of_attempts(&drawn)?, mean(&drawn)));
                }
                estimate_of_attempts(&values)
            }
        };
        let interval = found?.interval?;
        Some([interval.low, interval.high])
    }

    /// What the figure is of one sample's attempts.
    fn of_attempts(&self, scores: &[f64]) -> Option<f64> {
        let (n, right) = scores.iter().fold((0, 0), |(n, right), score| {
            (n + 1, right + u32::from(*score >= 1.0))
        });
        match self.figure {
            Figure::PassAt2(_) => pass_at_k(n, right, 2),
            Figure::PassHat2(_) => pass_hat_k(n, right, 2),
            Figure::Best(_) => best_of(scores),
            _ => Some(mean(scores)),
        }
    }

    fn difference(&self, by: f64, p: f64, source: &mut Source) -> Option<[f64; 2]> {
        let scores = self.figure.scores();
        let draw = |cluster| {
            let (first, second) = source.both(scores, [p, p + by], self.correlation, self.attempts);
            Pair {
                cluster,
                first: mean(&first),
                second: mean(&second),
                right_or_wrong: scores.is_binary(),
            }
        };
        let pairs: Vec<Pair<usize>> = (0..self.samples).map(draw).collect();
        paired(&pairs)?.interval
    }

    /// What the figure is of endless samples.
    fn truth(&self, p: f64) -> f64 {
        match self.figure {
            Figure::PassAt2(_) => 1.0 - self.all(1.0 - p, 2),
            Figure::PassHat2(_) => self.all(p, 2),
            Figure::Best(_) => 1.0 - self.all(1.0 - p, self.attempts),
            Figure::Difference(_, by) => by,
            Figure::Score(_) | Figure::Uneven(_) | Figure::MeanOfAttempts(_) => p,
        }
    }

    /// The chance that `k` attempts at one sample all come out as one does with the chance `p`.
    fn all(&self, p: f64, k: usize) -> f64 {
        let rho = self.correlation;
        if self.figure.scores() == Scores::Repeated {
            let repeats = rho.sqrt();
            let own = (1.0 - repeats) * p;
            let k = i32::try_from(k).unwrap_or(i32::MAX);
            return p * (repeats + own).powi(k) + (1.0 - p) * own.powi(k);
        }
        if rho <= 0.0 {
            return p.powi(i32::try_from(k).unwrap_or(i32::MAX));
        }
        let scale = 1.0 / rho - 1.0;
        let each = |i| (p * scale + i as f64) / (scale + i as f64);
        (0..k).map(each).product()
    }
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len() as f64
}

/// All designs of the figures whose name holds a text.
pub fn designs(quick: bool, only: &str) -> Vec<Design> {
    let sizes: &[usize] = if quick {
        &[3, 12]
    } else {
        &[2, 3, 5, 8, 10, 15, 20, 50, 100]
    };
    let several: &[usize] = if quick { &[1, 5] } else { &[1, 5, 20, 100] };
    let correlations: &[f64] = if quick { &[0.0, 0.9] } else { &CORRELATIONS };
    let mut all = Vec::new();
    let named = FIGURES
        .into_iter()
        .filter(|figure| figure.name().contains(only));
    for figure in named {
        for &samples in sizes {
            for &attempts in several {
                if figure.takes_several() && attempts == 1 {
                    continue;
                }
                for &correlation in correlations {
                    // A single attempt resembles no other, unless in another run or in a cluster of unlike size.
                    let alone = attempts == 1
                        && !matches!(figure, Figure::Uneven(_) | Figure::Difference(..));
                    if alone && correlation > 0.0 {
                        continue;
                    }
                    all.push(Design {
                        figure,
                        samples,
                        attempts,
                        correlation,
                    });
                }
            }
        }
    }
    all
}
