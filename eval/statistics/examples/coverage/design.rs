//! Designs of simulated runs, and the true values of the statistics computed from them.

use statistics::{Pair, best_of, estimate, paired, pass_at_k, pass_hat_k};

use super::draw::{Scores, Shape, Source};

/// True means to simulate.
const MEANS: [f64; 9] = [0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95];
/// Number of grid points for integrating the distribution of the best score.
const GRID_POINTS: usize = 1000;
/// Correlations between the attempts at a sample.
const CORRELATIONS: [f64; 5] = [0.0, 0.1, 0.3, 0.5, 0.9];

/// A statistic whose interval is checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    /// Mean of the samples' mean scores.
    Score(Scores),
    /// Probability that at least one of two attempts is correct.
    PassAt2(Scores),
    /// Probability that both of two attempts are correct.
    PassHat2(Scores),
    /// Mean of the samples' best scores.
    Best(Scores),
    /// Difference between the mean scores of two runs. The second run is better by this much.
    Difference(Scores, f64),
}

/// Sizes of the clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clusters {
    /// One sample per cluster.
    Samples,
    /// One sample per cluster; every fifth sample has five times the attempts of the others.
    Uneven,
    /// Several samples per cluster.
    Named,
    /// Several samples per cluster; every fifth cluster has five times the samples of the others.
    NamedUneven,
}

impl Clusters {
    pub const fn are_even(self) -> bool {
        matches!(self, Self::Samples | Self::Named)
    }

    pub const fn are_named(self) -> bool {
        matches!(self, Self::Named | Self::NamedUneven)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Samples => "",
            Self::Uneven => ", uneven clusters",
            Self::Named => ", named clusters",
            Self::NamedUneven => ", uneven named clusters",
        }
    }
}

/// Samples per cluster in designs with named clusters.
const NAMED_SAMPLES: usize = 4;
/// Base number of samples per cluster in designs with uneven named clusters.
const NAMED_UNEVEN_SAMPLES: usize = 2;
/// Attempts per sample in designs with named clusters.
const NAMED_ATTEMPTS: [usize; 2] = [2, 10];
/// Correlations between the attempts at a sample and between the samples of a cluster, in designs
/// with named clusters.
const NAMED_CORRELATIONS: [(f64, f64); 3] = [(0.1, 0.0), (0.5, 0.3), (0.9, 0.9)];

/// All figures, in the order of the table.
const FIGURES: [Figure; 25] = [
    Figure::Score(Scores::Binary),
    Figure::Score(Scores::Repeated),
    Figure::Score(Scores::Even),
    Figure::Score(Scores::Skewed),
    Figure::PassAt2(Scores::Binary),
    Figure::PassAt2(Scores::Repeated),
    Figure::PassAt2(Scores::Skewed),
    Figure::PassHat2(Scores::Binary),
    Figure::PassHat2(Scores::Repeated),
    Figure::PassHat2(Scores::Skewed),
    Figure::Best(Scores::Binary),
    Figure::Best(Scores::Repeated),
    Figure::Best(Scores::Even),
    Figure::Best(Scores::Skewed),
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
            Self::PassAt2(_) => of("pass@2"),
            Self::PassHat2(_) => of("pass^2"),
            Self::Best(_) => of("best of attempts"),
            Self::Difference(_, by) => of(&format!("difference of {by}")),
        }
    }

    pub const fn scores(self) -> Scores {
        match self {
            Self::Score(scores)
            | Self::PassAt2(scores)
            | Self::PassHat2(scores)
            | Self::Best(scores)
            | Self::Difference(scores, _) => scores,
        }
    }

    /// Returns the kinds of clusters to simulate. [`Clusters::Uneven`] varies the number of
    /// attempts, so it is simulated only for mean scores.
    fn clusters(self) -> Vec<Clusters> {
        let mut all = vec![Clusters::Samples];
        if matches!(
            self,
            Self::Score(Scores::Binary | Scores::Repeated | Scores::Skewed)
        ) {
            all.push(Clusters::Uneven);
        }
        if !matches!(self, Self::Difference(_, by) if by > 0.1) {
            all.extend([Clusters::Named, Clusters::NamedUneven]);
        }
        all
    }

    const fn needs_several_attempts(self) -> bool {
        matches!(self, Self::PassAt2(_) | Self::PassHat2(_) | Self::Best(_))
    }
}

/// Group of designs whose mean coverage has a common threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Answers,
    Scores,
    AnswersCompared,
    ScoresCompared,
}

impl Kind {
    pub const ALL: [Self; 4] = [
        Self::Answers,
        Self::Scores,
        Self::AnswersCompared,
        Self::ScoresCompared,
    ];
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Answers => "score, one answer per sample (Wilson)",
            Self::Scores => "score, fractional or clustered (cluster-robust Wilson)",
            Self::AnswersCompared => "difference, one answer per sample (Tango)",
            Self::ScoresCompared => "difference, fractional or clustered (t)",
        })
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Design {
    pub figure: Figure,
    pub clusters: Clusters,
    /// Number of clusters.
    pub count: usize,
    pub attempts: usize,
    /// Correlation between the attempts at a sample.
    pub correlation: f64,
    /// Correlation between the samples of a named cluster.
    pub alike: f64,
}

impl Design {
    pub fn name(&self) -> String {
        self.figure.name() + self.clusters.name()
    }

    pub fn kind(&self) -> Kind {
        let answers = self.attempts == 1
            && self.clusters == Clusters::Samples
            && matches!(self.figure.scores(), Scores::Binary | Scores::Repeated);
        match (self.figure, answers) {
            (Figure::Difference(..), true) => Kind::AnswersCompared,
            (Figure::Difference(..), false) => Kind::ScoresCompared,
            (_, true) => Kind::Answers,
            (_, false) => Kind::Scores,
        }
    }

    /// Returns a description that distinguishes this design from others of the same figure.
    pub fn details(&self) -> String {
        format!(
            "{}: {} × {}, correlation {}",
            self.name(),
            self.count,
            self.attempts,
            self.correlation
        )
    }

    /// Returns the true means to simulate.
    pub fn means(&self) -> impl Iterator<Item = f64> {
        MEANS.into_iter().filter(|p| match self.figure {
            // Means above 0.5 mirror those below, and so do their intervals.
            Figure::Score(_) => *p <= 0.5,
            Figure::Difference(_, by) => p + by < 1.0,
            // Skip true values that are closer to 0 or 1 than those of scores.
            Figure::PassAt2(_) | Figure::PassHat2(_) | Figure::Best(_) => {
                (0.04..=0.96).contains(&self.truth(*p))
            }
        })
    }

    /// Simulates one run. Returns whether its interval contains the true value, or `None` without
    /// an interval.
    pub fn run(&self, p: f64, truth: f64, source: &mut Source) -> Option<bool> {
        let [low, high] = self.interval(p, source)?;
        Some(low <= truth && truth <= high)
    }

    fn shape(&self, cluster: usize) -> Shape {
        let times = if cluster.is_multiple_of(5) { 5 } else { 1 };
        let mut shape = Shape {
            samples: 1,
            attempts: self.attempts,
            correlation: self.correlation,
            alike: self.alike,
        };
        match self.clusters {
            Clusters::Samples => {}
            Clusters::Uneven => shape.attempts *= times,
            Clusters::Named => shape.samples = NAMED_SAMPLES,
            Clusters::NamedUneven => shape.samples = NAMED_UNEVEN_SAMPLES * times,
        }
        shape
    }

    fn interval(&self, p: f64, source: &mut Source) -> Option<[f64; 2]> {
        let scores = self.figure.scores();
        if let Figure::Difference(_, by) = self.figure {
            return self.difference(by, p, source);
        }
        let mut samples: Vec<(usize, Vec<f64>)> = Vec::new();
        for cluster in 0..self.count {
            let drawn = source.cluster(scores, p, self.shape(cluster));
            samples.extend(drawn.into_iter().map(|scores| (cluster, scores)));
        }
        let values = samples.iter();
        let values = values.map(|(cluster, scores)| Some((*cluster, self.of_attempts(scores)?)));
        let found = estimate(&values.collect::<Option<Vec<_>>>()?);
        let interval = found?.interval?;
        Some([interval.low, interval.high])
    }

    /// Computes the statistic from one sample's attempts.
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
        let mut pairs: Vec<Pair<usize>> = Vec::new();
        for cluster in 0..self.count {
            let drawn = source.both(scores, [p, p + by], self.shape(cluster));
            pairs.extend(drawn.into_iter().map(|(first, second)| Pair {
                cluster,
                first: mean(&first),
                second: mean(&second),
            }));
        }
        paired(&pairs)?.interval()
    }

    /// Returns the true value of the statistic: its value for an infinite number of samples.
    pub fn truth(&self, p: f64) -> f64 {
        let scores = self.figure.scores();
        let right = 1.0 - scores.at_most(1.0 - f64::EPSILON, p);
        match self.figure {
            Figure::PassAt2(_) => 1.0 - self.all(1.0 - right, 2),
            Figure::PassHat2(_) => self.all(right, 2),
            Figure::Best(_) => {
                let places =
                    (0..GRID_POINTS).map(|place| (place as f64 + 0.5) / GRID_POINTS as f64);
                let above = places.map(|x| 1.0 - self.all(scores.at_most(x, p), self.attempts));
                above.sum::<f64>() / GRID_POINTS as f64
            }
            Figure::Difference(_, by) => by,
            Figure::Score(_) => p,
        }
    }

    /// Returns the probability that all of `k` attempts at one sample have an outcome whose
    /// probability is `p`.
    fn all(&self, p: f64, k: usize) -> f64 {
        let rho = self.correlation;
        if self.figure.scores() != Scores::Binary {
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

/// Returns all designs whose name contains `only`.
pub fn designs(quick: bool, only: &str) -> Vec<Design> {
    let mut all = Vec::new();
    for figure in FIGURES {
        for clusters in figure.clusters() {
            let designs = if clusters.are_named() {
                named(figure, clusters, quick)
            } else {
                of_samples(figure, clusters, quick)
            };
            all.extend(
                designs
                    .into_iter()
                    .filter(|design| design.name().contains(only)),
            );
        }
    }
    all
}

fn of_samples(figure: Figure, clusters: Clusters, quick: bool) -> Vec<Design> {
    let counts: &[usize] = if quick {
        // At 20 samples and above, use the same sample counts as the full run, because the mean
        // coverage depends on them.
        &[3, 12, 20, 50, 100]
    } else {
        &[3, 5, 8, 10, 15, 20, 50, 100]
    };
    let several: &[usize] = if quick { &[1, 5] } else { &[1, 5, 20] };
    let correlations: &[f64] = if quick { &[0.0, 0.9] } else { &CORRELATIONS };
    let mut all = Vec::new();
    for &count in counts {
        for &attempts in several {
            if figure.needs_several_attempts() && attempts == 1 {
                continue;
            }
            // One answer per sample is cheap to simulate. Use all designs of the full run, because
            // the threshold depends on them.
            let one_answer = attempts == 1
                && clusters == Clusters::Samples
                && matches!(figure.scores(), Scores::Binary | Scores::Repeated);
            let correlations = if one_answer {
                &CORRELATIONS[..]
            } else {
                correlations
            };
            for &correlation in correlations {
                // With one attempt per sample, a correlation matters only between runs or in
                // clusters of uneven size.
                let alone = attempts == 1
                    && clusters.are_even()
                    && !matches!(figure, Figure::Difference(..));
                if alone && correlation > 0.0 {
                    continue;
                }
                all.push(Design {
                    figure,
                    clusters,
                    count,
                    attempts,
                    correlation,
                    alike: 0.0,
                });
            }
        }
    }
    all
}

fn named(figure: Figure, clusters: Clusters, quick: bool) -> Vec<Design> {
    let counts: &[usize] = if quick {
        &[12, 20, 50]
    } else {
        &[8, 10, 20, 50]
    };
    let several = &NAMED_ATTEMPTS[..if quick { 1 } else { NAMED_ATTEMPTS.len() }];
    let correlations = if quick {
        &NAMED_CORRELATIONS[1..2]
    } else {
        &NAMED_CORRELATIONS[..]
    };
    let mut all = Vec::new();
    for &count in counts {
        for &attempts in several {
            all.extend(correlations.iter().map(|&(correlation, alike)| Design {
                figure,
                clusters,
                count,
                attempts,
                correlation,
                alike,
            }));
        }
    }
    all
}
