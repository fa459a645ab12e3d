//! How often intervals hold the true value.

use std::thread;

use eval::statistics::{Pair, estimate, paired, pass_at_k, pass_hat_k};

use super::draw::{Scores, Source};
use super::table;

/// True means.
const MEANS: [f64; 9] = [0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95];
/// Correlations within a cluster.
const CORRELATIONS: [f64; 5] = [0.0, 0.1, 0.3, 0.5, 0.9];

/// What has an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Figure {
    /// The mean over attempts of clusters of one size.
    Score(Scores),
    /// The same, and every fifth cluster is five times as large as the others.
    Uneven(Scores),
    /// The chance that of two attempts one is right, or both.
    PassAt2,
    PassHat2,
    /// The mean over samples of the best of their attempts.
    Best,
    /// The difference of two runs, the second better by so much.
    Difference(Scores, f64),
}

impl Figure {
    fn name(self) -> String {
        match self {
            Self::Score(scores) => format!("score, {}", scores.name()),
            Self::Uneven(scores) => format!("score, {}, uneven clusters", scores.name()),
            Self::PassAt2 => "pass@2".to_owned(),
            Self::PassHat2 => "pass^2".to_owned(),
            Self::Best => "best of attempts".to_owned(),
            Self::Difference(scores, by) => format!("difference of {by}, {}", scores.name()),
        }
    }

    const fn scores(self) -> Option<Scores> {
        match self {
            Self::Score(scores) | Self::Uneven(scores) | Self::Difference(scores, _) => {
                Some(scores)
            }
            Self::PassAt2 | Self::PassHat2 | Self::Best => None,
        }
    }

    const fn is_binary(self) -> bool {
        match self {
            Self::Score(scores) | Self::Uneven(scores) | Self::Difference(scores, _) => {
                scores.is_binary()
            }
            Self::PassAt2 | Self::PassHat2 | Self::Best => true,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Design {
    figure: Figure,
    samples: usize,
    attempts: usize,
    correlation: f64,
}

/// Of one true mean: the share of runs with an interval, and of these the share whose interval holds it.
#[derive(Debug, Clone, Copy)]
struct Cell {
    mean: f64,
    given: f64,
    covered: f64,
}

impl Design {
    /// One run: whether its interval holds the true value, if it has one.
    fn run(&self, p: f64, source: &mut Source) -> Option<bool> {
        let holds = |low: f64, high: f64, truth: f64| low <= truth && truth <= high;
        let scores = match self.figure {
            Figure::Score(scores) | Figure::Uneven(scores) | Figure::Difference(scores, _) => {
                scores
            }
            _ => Scores::Binary,
        };
        let rho = self.correlation;
        match self.figure {
            Figure::Score(_) | Figure::Uneven(_) => {
                let mut values = Vec::new();
                for cluster in 0..self.samples {
                    let large = matches!(self.figure, Figure::Uneven(_)) && cluster % 5 == 0;
                    let size = self.attempts * if large { 5 } else { 1 };
                    let drawn = source.cluster(scores, p, rho, size);
                    values.extend(drawn.into_iter().map(|score| (cluster, score)));
                }
                let interval = estimate(&values)?.interval?;
                Some(holds(interval.low, interval.high, p))
            }
            Figure::PassAt2 | Figure::PassHat2 | Figure::Best => {
                let truth = self.truth(p);
                let values: Option<Vec<(usize, f64)>> = (0..self.samples)
                    .map(|cluster| {
                        let drawn = source.cluster(scores, p, rho, self.attempts);
                        let (n, right) = drawn.iter().fold((0, 0), |(n, right), score| {
                            (n + 1, right + u32::from(*score > 0.5))
                        });
                        let value = match self.figure {
                            Figure::PassAt2 => pass_at_k(n, right, 2)?,
                            Figure::PassHat2 => pass_hat_k(n, right, 2)?,
                            _ => f64::from(u8::from(right > 0)),
                        };
                        Some((cluster, value))
                    })
                    .collect();
                let interval = estimate(&values?)?.interval?;
                Some(holds(interval.low, interval.high, truth))
            }
            Figure::Difference(_, by) => {
                let mean = |scores: Vec<f64>| scores.iter().sum::<f64>() / scores.len() as f64;
                let pairs: Vec<Pair<usize>> = (0..self.samples)
                    .map(|cluster| {
                        let (first, second) = source.both(scores, [p, p + by], rho, self.attempts);
                        Pair {
                            cluster,
                            first: mean(first),
                            second: mean(second),
                        }
                    })
                    .collect();
                let [low, high] = paired(&pairs)?.interval?;
                Some(holds(low, high, by))
            }
        }
    }

    /// What the figure is of endless samples.
    fn truth(&self, p: f64) -> f64 {
        let scale = match self.correlation {
            rho if rho > 0.0 => 1.0 / rho - 1.0,
            _ => f64::INFINITY,
        };
        // The chance that `k` attempts at one sample all come out as those of probability `p` do.
        let all = |p: f64, k: usize| -> f64 {
            (0..k)
                .map(|i| {
                    if scale.is_finite() {
                        (p * scale + i as f64) / (scale + i as f64)
                    } else {
                        p
                    }
                })
                .product()
        };
        match self.figure {
            Figure::PassAt2 => 1.0 - all(1.0 - p, 2),
            Figure::PassHat2 => all(p, 2),
            Figure::Best => 1.0 - all(1.0 - p, self.attempts),
            Figure::Difference(_, by) => by,
            Figure::Score(_) | Figure::Uneven(_) => p,
        }
    }

    fn cells(&self, runs: usize, seed: u64) -> Vec<Cell> {
        let fits = |p: &f64| match self.figure {
            Figure::Difference(_, by) => p + by < 1.0,
            Figure::PassAt2 | Figure::PassHat2 | Figure::Best => {
                (0.04..=0.96).contains(&self.truth(*p))
            }
            _ => true,
        };
        let means = MEANS.into_iter().filter(fits);
        means
            .map(|mean| {
                let mut source = Source::new(seed ^ mean.to_bits());
                let found: Vec<bool> = (0..runs)
                    .filter_map(|_| self.run(mean, &mut source))
                    .collect();
                let held = found.iter().filter(|held| **held).count();
                Cell {
                    mean,
                    given: found.len() as f64 / runs as f64,
                    covered: held as f64 / found.len().max(1) as f64,
                }
            })
            .collect()
    }
}

fn designs(quick: bool, only: &str) -> Vec<Design> {
    let sizes: &[usize] = if quick {
        &[3, 5, 20]
    } else {
        &[2, 3, 5, 8, 10, 20, 50, 100]
    };
    let attempts: &[usize] = if quick { &[1, 5] } else { &[1, 5, 20, 100] };
    let figures = [
        Figure::Score(Scores::Binary),
        Figure::Score(Scores::Repeated),
        Figure::Score(Scores::Even),
        Figure::Score(Scores::Skewed),
        Figure::Uneven(Scores::Binary),
        Figure::Uneven(Scores::Skewed),
        Figure::PassAt2,
        Figure::PassHat2,
        Figure::Best,
        Figure::Difference(Scores::Binary, 0.0),
        Figure::Difference(Scores::Binary, 0.1),
        Figure::Difference(Scores::Binary, 0.4),
        Figure::Difference(Scores::Skewed, 0.0),
        Figure::Difference(Scores::Even, 0.1),
    ];
    let mut all = Vec::new();
    for figure in figures
        .into_iter()
        .filter(|figure| figure.name().contains(only))
    {
        for &samples in sizes {
            for &attempts in attempts {
                // The largest runs take longest and are the easiest: a thousand attempts and more are drawn for scores alone.
                if samples * attempts >= 1000 && !matches!(figure, Figure::Score(Scores::Binary)) {
                    continue;
                }
                // Where attempts repeat a common answer or not, the means of a hundred lie at a few places, far apart. No method
                // knows of a place that none of the samples happens to be at: docs/STATISTICS.md says so.
                if attempts > 20
                    && figure
                        .scores()
                        .is_some_and(|scores| scores != Scores::Binary)
                {
                    continue;
                }
                let several = matches!(figure, Figure::PassAt2 | Figure::PassHat2 | Figure::Best);
                if several && attempts == 1 {
                    continue;
                }
                for correlation in CORRELATIONS {
                    let alone = attempts == 1
                        && !matches!(figure, Figure::Uneven(_) | Figure::Difference(..));
                    if alone && correlation > 0.0 || quick && ![0.0, 0.5].contains(&correlation) {
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

/// Prints the coverage of all intervals and gives the number of bars that are missed.
pub fn check(quick: bool, runs: usize, only: &str, show: bool) -> usize {
    let runs = if quick { 60 } else { runs };
    let designs = designs(quick, only);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let mut found: Vec<(usize, Vec<Cell>)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut own = Vec::new();
                    loop {
                        let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        let Some(design) = designs.get(index) else {
                            return own;
                        };
                        own.push((index, design.cells(runs, index as u64)));
                    }
                })
            })
            .collect();
        let done = workers.into_iter().filter_map(|worker| worker.join().ok());
        done.flatten().collect()
    });
    found.sort_by_key(|(index, _)| *index);
    let judged: Vec<Judged> = found
        .iter()
        .filter_map(|(index, cells)| Judged::of(&designs[*index], cells, runs))
        .collect();
    if show {
        for design in judged.iter().filter(|design| !design.good) {
            table::say(&format!("{design:?}"));
        }
    }
    let mut rows = Vec::new();
    let mut names: Vec<String> = judged
        .iter()
        .map(|design| design.design.figure.name())
        .collect();
    names.dedup();
    for name in names {
        for (least, most) in [(2, 9), (10, 19), (20, 100)] {
            let those = |design: &&Judged| {
                design.design.figure.name() == name
                    && (least..=most).contains(&design.design.samples)
            };
            let those: Vec<&Judged> = judged.iter().filter(those).collect();
            if !those.is_empty() {
                rows.push(row(&name, &those));
            }
        }
    }
    let refused = designs.len() - judged.len();
    table::print(
        &format!(
            "Coverage of 95 % intervals in %, {runs} runs for each cell (one standard error is {:.1}); {} designs, and {refused} \
             of too few samples, which have no interval:",
            (0.95 * 0.05 / runs as f64).sqrt() * 100.0,
            judged.len()
        ),
        &[
            "figure",
            "samples",
            "designs",
            "means",
            "worst cell",
            "given in at least",
            "missed",
        ],
        &rows,
    );
    judged.iter().filter(|design| !design.good).count()
}

/// What a design comes to.
#[derive(Debug)]
struct Judged {
    design: Design,
    /// Over the true means.
    mean: f64,
    /// The true mean of the worst cell and its coverage.
    worst: (f64, f64),
    /// The least share of runs that have an interval.
    given: f64,
    good: bool,
}

impl Judged {
    /// None where no run has an interval.
    fn of(design: &Design, cells: &[Cell], runs: usize) -> Option<Self> {
        // Of a handful of intervals nothing can be said.
        let shown: Vec<&Cell> = cells.iter().filter(|cell| cell.given >= 0.1).collect();
        let worst = shown
            .iter()
            .min_by(|a, b| a.covered.total_cmp(&b.covered))?;
        let mean = shown.iter().map(|cell| cell.covered).sum::<f64>() / shown.len() as f64;
        let least = if design.samples < 10 { 0.90 } else { 0.92 };
        // Three standard errors of a share that lies at the bar; of the mean over cells, as many times less.
        let noise = 3.0 * (0.08 * 0.92 / runs as f64).sqrt();
        let noise_of_mean = noise / (shown.len() as f64).sqrt();
        // Scores that are 0 or 1 cannot reach 95 % exactly where there are few, and of clusters of very different sizes
        // it is unknown which vary how much: more is no fault.
        let uneven = matches!(design.figure, Figure::Uneven(_));
        let above = design.figure.is_binary() || uneven || design.samples < 10;
        let good = worst.covered >= least - noise
            && mean >= 0.94 - noise_of_mean
            && (above || mean <= 0.98 + noise_of_mean);
        Some(Self {
            design: *design,
            mean,
            worst: (worst.mean, worst.covered),
            given: shown.iter().map(|cell| cell.given).fold(1.0, f64::min),
            good,
        })
    }
}

fn row(name: &str, designs: &[&Judged]) -> Vec<String> {
    let range = |values: Vec<String>| match (values.first(), values.last()) {
        (Some(least), Some(most)) if least != most => format!("{least} to {most}"),
        (Some(only), _) => only.clone(),
        _ => String::new(),
    };
    let mut means: Vec<f64> = designs.iter().map(|design| design.mean).collect();
    means.sort_by(f64::total_cmp);
    let mut samples: Vec<usize> = designs.iter().map(|design| design.design.samples).collect();
    samples.sort_unstable();
    let worst = designs
        .iter()
        .map(|design| design.worst.1)
        .fold(1.0, f64::min);
    let given = designs
        .iter()
        .map(|design| design.given)
        .fold(1.0, f64::min);
    let missed = designs.iter().filter(|design| !design.good).count();
    vec![
        name.to_owned(),
        range(samples.iter().map(ToString::to_string).collect()),
        designs.len().to_string(),
        range(
            means
                .iter()
                .map(|mean| format!("{:.1}", mean * 100.0))
                .collect(),
        ),
        format!("{:.1}", worst * 100.0),
        format!("{:.0}", given * 100.0),
        missed.to_string(),
    ]
}
