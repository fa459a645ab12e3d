//! Compares the mean widths of intervals for scores of 0 or 1: the program's, Tango's and the t
//! interval.

use statistics::{Pair, Tango, paired};

use super::draw::{Scores, Shape, Source};
use super::table;

/// Maximum ratio of the mean width of the program's interval to that of Tango's interval.
const MAX_RATIO: f64 = 1.05;

/// Numbers of samples `n`, each with the 0.975 quantile of Student's t distribution with `n − 1`
/// degrees of freedom.
const COUNTS: [(usize, f64); 4] = [
    (10, 2.262_157),
    (20, 2.093_024),
    (50, 2.009_575),
    (100, 1.984_217),
];

/// Prints the widths, and returns the number of exceeded thresholds.
pub fn check(quick: bool, seed: u64) -> usize {
    let runs = if quick { 200 } else { 5000 };
    let mut source = Source::new(seed);
    let mut rows = Vec::new();
    let mut missed = 0;
    for (count, t) in COUNTS {
        for by in [0.0, 0.1, 0.4] {
            let mut widths = [0.0; 3];
            for _ in 0..runs {
                let pairs: Vec<Pair<usize>> = (0..count)
                    .flat_map(|cluster| {
                        let both =
                            source.both(Scores::Binary, [0.4, 0.4 + by], Shape::sample(1, 0.3));
                        both.into_iter().map(move |(first, second)| Pair {
                            cluster,
                            first: first[0],
                            second: second[0],
                        })
                    })
                    .collect();
                let Some(found) = paired(&pairs) else {
                    continue;
                };
                let tango = Tango {
                    wins: found.wins as f64,
                    losses: found.losses as f64,
                    samples: count as f64,
                };
                let width = |[low, high]: [f64; 2]| high - low;
                let reach = t * found.standard_error.unwrap_or_default();
                let all = [
                    found.interval().map_or(2.0, width),
                    width(tango.interval()),
                    2.0 * reach,
                ];
                for (sum, width) in widths.iter_mut().zip(all) {
                    *sum += width / f64::from(runs);
                }
            }
            let ratio = widths[0] / widths[1];
            let good = ratio <= MAX_RATIO;
            missed += usize::from(!good);
            let mark = if good { "" } else { " **missed**" };
            let mut row = vec![count.to_string(), by.to_string()];
            row.extend(widths.map(|width| format!("{width:.3}")));
            row.push(format!("{ratio:.2}{mark}"));
            rows.push(row);
        }
    }
    table::print(
        &format!(
            "Mean width of the interval of a difference, one answer per sample, {runs} runs each:"
        ),
        &[
            "samples",
            "difference",
            "interval",
            "Tango",
            "t",
            "ratio to Tango",
        ],
        &rows,
    );
    missed
}
