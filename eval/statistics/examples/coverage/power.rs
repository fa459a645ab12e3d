//! Measures how often new runs find the detectable difference computed from similar runs.

use statistics::{Pair, detectable, holm, paired};

use super::draw::{Scores, Shape, Source};
use super::table;

/// Maximum probability of any false finding over all comparisons.
const LEVEL: f64 = 0.05;

/// Model for simulating new runs. It also determines the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    /// One attempt per sample, scored 0 or 1: Tango's score test.
    Answers,
    /// The mean of five attempts: the t test.
    Means(Scores),
    /// Samples in clusters of four, scored 0 or 1: the t test.
    Clusters,
}

#[derive(Debug, Clone, Copy)]
struct Design {
    truth: Truth,
    /// Number of samples or clusters.
    count: usize,
    /// Number of comparisons that Holm's correction covers. Only one of them has a difference.
    comparisons: usize,
}

impl Truth {
    const fn name(self) -> &'static str {
        match self {
            Self::Answers => "score test, one attempt at each sample",
            Self::Means(Scores::Skewed) => "t, five attempts of skewed fractions",
            Self::Means(_) => "t, five attempts of 0 or 1",
            Self::Clusters => "t, clusters of four samples",
        }
    }

    /// Simulates the runs from which the detectable difference is computed.
    fn draw(self, count: usize, source: &mut Source) -> Vec<Pair<usize>> {
        let mean = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len() as f64;
        let mut pairs = Vec::new();
        for cluster in 0..count {
            let (scores, samples, attempts) = match self {
                Self::Answers => (Scores::Binary, 1, 1),
                Self::Means(scores) => (scores, 1, 5),
                Self::Clusters => (Scores::Binary, 4, 1),
            };
            // Correlate the answers within a cluster.
            let together = Shape::sample(samples * attempts, 0.3);
            let both = source.both(scores, [0.4, 0.45], together);
            for (first, second) in both {
                let parts = first.chunks(attempts).zip(second.chunks(attempts));
                pairs.extend(parts.map(|(first, second)| Pair {
                    cluster,
                    first: mean(first),
                    second: mean(second),
                }));
            }
        }
        pairs
    }

    /// Simulates new runs that differ by `size`: with the same share of differing samples as `run`,
    /// or with clusters drawn from `run`.
    fn simulate_new_runs(
        self,
        run: &[Pair<usize>],
        count: usize,
        size: f64,
        source: &mut Source,
    ) -> Vec<Pair<usize>> {
        let difference = |pair: &Pair<usize>| pair.second - pair.first;
        if self == Self::Answers {
            let differing = run.iter().filter(|pair| difference(pair) != 0.0).count();
            let differing = (differing as f64 / count as f64).max(size);
            let draw = |cluster| {
                let place = source.uniform();
                let (won, lost) = (f64::midpoint(differing, size), differing);
                let (first, second) = if place < won {
                    (0.0, 1.0)
                } else if place < lost {
                    (1.0, 0.0)
                } else {
                    (1.0, 1.0)
                };
                Pair {
                    cluster,
                    first,
                    second,
                }
            };
            return (0..count).map(draw).collect();
        }
        let mean = run.iter().map(difference).sum::<f64>() / run.len() as f64;
        let each = run.len() / count;
        let mut pairs = Vec::new();
        for cluster in 0..count {
            let from = source.below(count) * each;
            pairs.extend(run[from..from + each].iter().map(|pair| Pair {
                cluster,
                first: 0.0,
                second: difference(pair) - mean + size,
            }));
        }
        pairs
    }
}

/// Returns the share of new runs in which a difference is found.
fn found(design: Design, run: &[Pair<usize>], size: f64, draws: usize, source: &mut Source) -> f64 {
    let hits = (0..draws).filter(|_| {
        let mut p = |size| {
            let pairs = design
                .truth
                .simulate_new_runs(run, design.count, size, source);
            paired(&pairs)?.p()
        };
        let Some(own) = p(size) else { return false };
        let others: Vec<f64> = (1..design.comparisons).filter_map(|_| p(0.0)).collect();
        let all: Vec<f64> = [own].into_iter().chain(others).collect();
        holm(&all)[0] <= LEVEL
    });
    hits.count() as f64 / draws as f64
}

/// Prints the power of each design, and returns the number of missed thresholds.
pub fn check(quick: bool, seed: u64) -> usize {
    let draws = if quick { 200 } else { 2000 };
    // Tolerance around the power of 0.8. With few draws, three standard errors are added.
    let width = if quick { 0.03 + 0.09 } else { 0.03 };
    let truths = [
        Truth::Answers,
        Truth::Means(Scores::Binary),
        Truth::Means(Scores::Skewed),
        Truth::Clusters,
    ];
    let mut rows = Vec::new();
    let mut missed = 0;
    let mut source = Source::new(seed);
    for truth in truths {
        for count in [5, 20, 50, 200] {
            for comparisons in [1, 3] {
                if quick && (count > 20 || comparisons > 1) {
                    continue;
                }
                let design = Design {
                    truth,
                    count,
                    comparisons,
                };
                let run = truth.draw(count, &mut source);
                let size = detectable(&run, LEVEL / comparisons as f64);
                let share = found(design, &run, size.unwrap_or(1.0), draws, &mut source);
                // The threshold applies from 20 samples on; with fewer samples, the power is only
                // shown.
                let good = match size {
                    Some(_) => count < 20 || (share - 0.8).abs() <= width,
                    None => share < 0.8 + width,
                };
                let size = size.map_or_else(|| "none".to_owned(), |size| format!("{size:.3}"));
                missed += usize::from(!good);
                let mark = if good { "" } else { " **missed**" };
                rows.push(vec![
                    truth.name().to_owned(),
                    count.to_string(),
                    comparisons.to_string(),
                    size,
                    format!("{:.1} %{mark}", share * 100.0),
                ]);
            }
        }
    }
    let header = [
        "test",
        "samples or clusters",
        "comparisons",
        "detectable",
        "found",
    ];
    table::print(
        &format!(
            "Detectable differences, and the share of {draws} new runs that find them (where none is detectable, a difference of 1):"
        ),
        &header,
        &rows,
    );
    missed
}
