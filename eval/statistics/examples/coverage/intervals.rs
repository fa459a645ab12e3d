//! Measures how often intervals contain the true value.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::design::{Design, Kind, designs};
use super::draw::Source;
use super::table;

/// Minimum mean coverage over the designs of one kind with 10 to 19 clusters.
const MIN_COVERAGE_FROM_10: f64 = 0.92;
/// Bounds of the mean coverage over the designs of one kind with 20 or more clusters.
const COVERAGE_RANGE_FROM_20: [f64; 2] = [0.94, 0.965];

#[derive(Debug, Clone, Copy)]
pub struct SimulationSettings<'a> {
    pub quick: bool,
    /// Number of runs for each design and true mean.
    pub runs: usize,
    pub seed: u64,
    /// Simulate only designs whose names contain this text.
    pub only: &'a str,
}

/// Coverage of one design, by true mean.
struct DesignCoverage {
    design: Design,
    /// True means with the share of intervals that contain the true value.
    covered: Vec<(f64, f64)>,
    /// Share of runs that have an interval.
    given: f64,
}

impl DesignCoverage {
    fn of(design: &Design, asked: SimulationSettings, index: usize) -> Self {
        let (mut given, mut covered) = (0, Vec::new());
        // Simulate more runs of designs with one answer per sample: their mean is noisier, because
        // there are few of them, and each run is cheap.
        let runs = match design.kind() {
            Kind::Answers if asked.quick => 10 * asked.runs,
            _ => asked.runs,
        };
        let means: Vec<f64> = design.means().collect();
        for &mean in &means {
            let truth = design.truth(mean);
            let mut source = Source::new(mean.to_bits() ^ (asked.seed << 32) ^ index as u64);
            let (mut all, mut held) = (0, 0);
            for _ in 0..runs {
                let is_held = design.run(mean, truth, &mut source);
                all += usize::from(is_held.is_some());
                held += usize::from(is_held == Some(true));
            }
            given += all;
            if all > 0 {
                covered.push((mean, held as f64 / all as f64));
            }
        }
        Self {
            design: *design,
            covered,
            given: given as f64 / (runs * means.len()).max(1) as f64,
        }
    }

    fn mean(&self) -> f64 {
        let sum: f64 = self.covered.iter().map(|(_, covered)| covered).sum();
        sum / self.covered.len().max(1) as f64
    }

    fn worst(&self) -> (f64, f64) {
        let all = self.covered.iter().copied();
        all.fold(
            (0.0, 1.0),
            |worst, cell| {
                if cell.1 < worst.1 { cell } else { worst }
            },
        )
    }
}

/// Prints the coverage of all intervals, and returns the number of rows that miss a threshold.
pub fn check(asked: SimulationSettings) -> usize {
    let designs = designs(asked.quick, asked.only);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut own = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(design) = designs.get(index) else {
                return own;
            };
            own.push((index, DesignCoverage::of(design, asked, index)));
        }
    };
    let mut found: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(|worker| {
            let own = worker.join();
            own.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        done.flatten().collect()
    });
    found.sort_by_key(|(index, _)| *index);
    let judged: Vec<DesignCoverage> = found
        .into_iter()
        .map(|(_, judged)| judged)
        .filter(|judged| !judged.covered.is_empty())
        .collect();

    let mut names: Vec<String> = judged.iter().map(|design| design.design.name()).collect();
    names.dedup();
    let by_name = |judged: &DesignCoverage, name: &String| judged.design.name() == *name;
    table::print(
        &format!(
            "Coverage of 95 % intervals in %, seed {}, {} runs of each design and true mean:",
            asked.seed, asked.runs
        ),
        &HEADER,
        &rows(&judged, &names, by_name, false).0,
    );
    print_by_count(&judged);
    let kinds: Vec<Kind> = Kind::ALL.into();
    let by_kind = |judged: &DesignCoverage, kind: &Kind| judged.design.kind() == *kind;
    let (rows, missed) = rows(&judged, &kinds, by_kind, true);
    table::print(
        "The same by kind, with thresholds (mean coverage with 20 or more samples: 94 to 96.5 %; with 10 to 19: at least 92 %):",
        &HEADER,
        &rows,
    );
    missed
}

/// Prints the mean coverage of each kind by number of samples, because the overall mean hides the
/// differences.
fn print_by_count(judged: &[DesignCoverage]) {
    let mut counts: Vec<usize> = judged.iter().map(|judged| judged.design.count).collect();
    counts.sort_unstable();
    counts.dedup();
    let cell = |kind: Kind, count: usize| {
        let those: Vec<f64> = judged
            .iter()
            .filter(|judged| judged.design.kind() == kind && judged.design.count == count)
            .map(DesignCoverage::mean)
            .collect();
        if those.is_empty() {
            return "-".to_owned();
        }
        let mean = those.iter().sum::<f64>() / those.len() as f64;
        format!("{:.1}", mean * 100.0)
    };
    let rows: Vec<Vec<String>> = Kind::ALL
        .into_iter()
        .map(|kind| {
            let cells = counts.iter().map(|&count| cell(kind, count));
            [kind.to_string()].into_iter().chain(cells).collect()
        })
        .collect();
    let counts = counts.iter().map(ToString::to_string);
    let header: Vec<String> = ["samples or clusters".to_owned()]
        .into_iter()
        .chain(counts)
        .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    table::print(
        "Mean coverage by number of samples, without thresholds:",
        &header,
        &rows,
    );
}

const HEADER: [&str; 6] = [
    "figure",
    "samples",
    "designs",
    "mean coverage",
    "worst cell",
    "its design",
];

/// Returns a row for each group and range of sample counts, and the number of rows that miss their
/// threshold.
fn rows<G: std::fmt::Display>(
    judged: &[DesignCoverage],
    groups: &[G],
    belongs: impl Fn(&DesignCoverage, &G) -> bool,
    barred: bool,
) -> (Vec<Vec<String>>, usize) {
    let mut rows = Vec::new();
    let mut missed = 0;
    for group in groups {
        for (least, most) in [(3, 9), (10, 19), (20, 1000)] {
            let those: Vec<&DesignCoverage> = judged
                .iter()
                .filter(|judged| belongs(judged, group))
                .filter(|judged| (least..=most).contains(&judged.design.count))
                .collect();
            let Some(worst) = those
                .iter()
                .min_by(|a, b| a.worst().1.total_cmp(&b.worst().1))
            else {
                continue;
            };
            let mean = those.iter().map(|judged| judged.mean()).sum::<f64>() / those.len() as f64;
            let is_within = match least {
                20 => (COVERAGE_RANGE_FROM_20[0]..=COVERAGE_RANGE_FROM_20[1]).contains(&mean),
                10 => mean >= MIN_COVERAGE_FROM_10,
                _ => true,
            };
            let good = !barred || is_within && those.iter().all(|judged| judged.given >= 1.0);
            missed += usize::from(!good);
            let mark = if good { "" } else { " **missed**" };
            let samples = those.iter().map(|judged| judged.design.count);
            let (first, last) = samples.fold((usize::MAX, 0), |(first, last), count| {
                (first.min(count), last.max(count))
            });
            rows.push(vec![
                group.to_string(),
                if first == last {
                    first.to_string()
                } else {
                    format!("{first} to {last}")
                },
                those.len().to_string(),
                format!("{:.1}{mark}", mean * 100.0),
                format!("{:.1}", worst.worst().1 * 100.0),
                format!("{} at {}", worst.design.details(), worst.worst().0),
            ]);
        }
    }
    (rows, missed)
}
