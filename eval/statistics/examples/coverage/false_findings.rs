//! How often a difference is found between runs that do not differ.

use statistics::{Pair, paired};

use super::draw::Source;
use super::table;

const LEVEL: f64 = 0.05;

/// What the two runs differ by on a share of the samples, and on the others by what makes up for it.
struct Truth {
    name: &'static str,
    share: f64,
    by: f64,
    attempts: usize,
    /// The bar; none where a t test is known to find too much, and what it finds is shown.
    most: Option<f64>,
}

const TRUTHS: [Truth; 5] = [
    Truth {
        name: "one attempt, better by 0.2 on 80 % of samples",
        share: 0.8,
        by: 0.2,
        attempts: 1,
        most: Some(0.05),
    },
    Truth {
        name: "20 attempts, no difference anywhere",
        share: 0.5,
        by: 0.0,
        attempts: 20,
        most: Some(0.05),
    },
    Truth {
        name: "20 attempts, better by 0.3 on 50 % of samples",
        share: 0.5,
        by: 0.3,
        attempts: 20,
        most: None,
    },
    Truth {
        name: "20 attempts, better by 0.2 on 80 % of samples",
        share: 0.8,
        by: 0.2,
        attempts: 20,
        most: None,
    },
    Truth {
        name: "20 attempts, better by 0.1 on 90 % of samples",
        share: 0.9,
        by: 0.1,
        attempts: 20,
        most: None,
    },
];

impl Truth {
    fn draw(&self, count: usize, source: &mut Source) -> Vec<Pair<usize>> {
        let draw = |cluster| {
            let difference = if source.happens(self.share) {
                self.by
            } else {
                -self.by * self.share / (1.0 - self.share)
            };
            let mut mean = |chance: f64| {
                let right = (0..self.attempts).filter(|_| source.happens(chance));
                right.count() as f64 / self.attempts as f64
            };
            Pair {
                cluster,
                first: mean(f64::midpoint(1.0, -difference)),
                second: mean(f64::midpoint(1.0, difference)),
                right_or_wrong: true,
            }
        };
        (0..count).map(draw).collect()
    }
}

/// Prints the shares of all designs and gives the number of bars that are missed.
pub fn check(quick: bool, seed: u64) -> usize {
    let draws = if quick { 200 } else { 4000 };
    let counts: &[usize] = if quick {
        &[9, 10]
    } else {
        &[9, 10, 15, 20, 30, 50, 100]
    };
    let mut source = Source::new(seed);
    let mut missed = 0;
    let mut rows = Vec::new();
    for truth in TRUTHS {
        for count in counts {
            let runs: Vec<_> = (0..draws)
                .filter_map(|_| paired(&truth.draw(*count, &mut source)))
                .collect();
            let found: Vec<_> = runs
                .iter()
                .filter_map(|run| Some((run, run.p().filter(|p| *p <= LEVEL)?)))
                .collect();
            let confirmed = found
                .iter()
                .filter(|(run, p)| !run.test_outruns_interval(*p, LEVEL));
            let share = |count: usize| count as f64 / f64::from(draws);
            let (found, confirmed) = (share(found.len()), share(confirmed.count()));
            // Three standard errors of so many draws.
            let room = 3.0 * (0.05 * 0.95 / f64::from(draws)).sqrt();
            let good = truth.most.is_none_or(|most| found <= most + room);
            missed += usize::from(!good);
            let mark = if good { "" } else { " **missed**" };
            rows.push(vec![
                truth.name.to_owned(),
                count.to_string(),
                format!("{:.1} %{mark}", found * 100.0),
                format!("{:.1} %", confirmed * 100.0),
            ]);
        }
    }
    table::print(
        &format!("Differences found at p 0.05 where there is none, in {draws} runs each:"),
        &[
            "truth",
            "samples",
            "found",
            "found, and the interval does not hold 0",
        ],
        &rows,
    );
    missed
}
