//! Measures how often the tests find a difference between runs whose true scores are equal.

use statistics::{Pair, Tango, paired};

use super::draw::Source;
use super::table;

const LEVEL: f64 = 0.05;

/// Maximum share of false findings with at least [`THRESHOLD_MIN_SAMPLES`] samples.
const MAX_SHARE: f64 = 0.055;
const THRESHOLD_MIN_SAMPLES: usize = 20;

/// Shares of samples on which the runs differ. Two independent runs with equal scores differ on at
/// most half of the samples.
const DIFFERING: [f64; 9] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
/// Larger shares, to which the threshold does not apply.
const NEARLY_ALL: [f64; 3] = [0.9, 0.95, 1.0];

/// True difference between two runs: the second run is better by `by` on a share of the samples,
/// and worse on the others, so that the true mean scores are equal.
struct Truth {
    name: &'static str,
    share: f64,
    by: f64,
    attempts: usize,
    samples: usize,
    /// Whether the threshold applies: not if the second run is worse on only a few samples.
    barred: bool,
}

const fn truth(name: &'static str, share: f64, by: f64, attempts: usize, barred: bool) -> Truth {
    Truth {
        name,
        share,
        by,
        attempts,
        samples: 1,
        barred,
    }
}

const TRUTHS: [Truth; 6] = [
    truth("5 attempts, no difference anywhere", 0.5, 0.0, 5, true),
    truth("20 attempts, no difference anywhere", 0.5, 0.0, 20, true),
    Truth {
        samples: 4,
        ..truth(
            "clusters of 4 samples, no difference anywhere",
            0.5,
            0.0,
            1,
            true,
        )
    },
    truth(
        "20 attempts, better by 0.3 on 50 % of samples",
        0.5,
        0.3,
        20,
        true,
    ),
    truth(
        "20 attempts, better by 0.2 on 80 % of samples",
        0.8,
        0.2,
        20,
        false,
    ),
    truth(
        "20 attempts, better by 0.1 on 90 % of samples",
        0.9,
        0.1,
        20,
        false,
    ),
];

impl Truth {
    fn draw(&self, count: usize, source: &mut Source) -> Vec<Pair<usize>> {
        let draw = |place| {
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
                cluster: place / self.samples,
                first: mean(f64::midpoint(1.0, -difference)),
                second: mean(f64::midpoint(1.0, difference)),
            }
        };
        (0..count * self.samples).map(draw).collect()
    }
}

/// Prints the share of false findings for each design, and returns the number of exceeded
/// thresholds.
pub fn check(quick: bool, seed: u64) -> usize {
    // Designs with one attempt per sample are computed exactly, because they depend only on the
    // share of samples that differ.
    by_counting(quick) + by_drawing(quick, seed)
}

/// Checks Tango's score test exactly, by summing over all outcomes.
fn by_counting(quick: bool) -> usize {
    let counts: Vec<usize> = if quick {
        vec![10, 20, 50]
    } else {
        (10..=300).collect()
    };
    let mut missed = 0;
    let mut rows = Vec::new();
    let mut most = vec![[0.0_f64; 12]; 2];
    for &count in &counts {
        let rejected: Vec<f64> = (0..=count)
            .map(|differing| rejected(count, differing))
            .collect();
        let shares = DIFFERING.into_iter().chain(NEARLY_ALL);
        let group = usize::from(count >= THRESHOLD_MIN_SAMPLES);
        for (place, share) in shares.enumerate() {
            let found = binomial(count, share)
                .zip(&rejected)
                .map(|(chance, rejected)| chance * rejected)
                .sum::<f64>();
            most[group][place] = most[group][place].max(found);
        }
    }
    for (name, most) in ["10 to 19", "20 to 300"].iter().zip(&most) {
        let barred = *name != "10 to 19";
        let mut row = vec![(*name).to_owned()];
        for (place, found) in most.iter().enumerate() {
            let bad = barred && place < DIFFERING.len() && *found > MAX_SHARE;
            missed += usize::from(bad);
            let mark = if bad { " **missed**" } else { "" };
            row.push(format!("{:.1}{mark}", found * 100.0));
        }
        rows.push(row);
    }
    let mut header = vec!["samples".to_owned()];
    let shares = DIFFERING.into_iter().chain(NEARLY_ALL);
    header.extend(shares.map(|share| format!("{:.0} % differ", share * 100.0)));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    table::print(
        "False findings of the score test in %, maximum over the numbers of samples, computed by summing over all outcomes:",
        &header,
        &rows,
    );
    missed
}

/// Returns the probability that the score test finds a difference, given the number of samples that
/// differ.
fn rejected(samples: usize, differing: usize) -> f64 {
    let chances = binomial(differing, 0.5).enumerate();
    let rejects = |wins: usize| {
        let tango = Tango {
            wins: wins as f64,
            losses: (differing - wins) as f64,
            samples: samples as f64,
        };
        tango.p() <= LEVEL
    };
    chances
        .filter(|(wins, _)| rejects(*wins))
        .map(|(_, chance)| chance)
        .sum()
}

/// Returns the probabilities of 0, 1, … hits in `n` draws.
fn binomial(n: usize, chance: f64) -> impl Iterator<Item = f64> {
    use statrs::distribution::{Binomial, Discrete};
    let binomial = Binomial::new(chance, n as u64);
    (0..=n as u64).map(move |hits| binomial.as_ref().map_or(0.0, |binomial| binomial.pmf(hits)))
}

fn by_drawing(quick: bool, seed: u64) -> usize {
    let draws = if quick { 200 } else { 20_000 };
    let counts: &[usize] = if quick {
        &[10, 20]
    } else {
        &[5, 10, 15, 20, 30, 50, 100]
    };
    let mut source = Source::new(seed);
    let mut missed = 0;
    let mut rows = Vec::new();
    for truth in TRUTHS {
        for &count in counts {
            let is_found = |_: &u32| {
                let found = paired(&truth.draw(count, &mut source));
                found.and_then(|found| found.p()).is_some_and(|p| p < LEVEL)
            };
            let found = (0..draws).filter(is_found).count() as f64 / f64::from(draws);
            // Allow two standard errors of the simulation, or three with few draws.
            let errors = if quick { 3.0 } else { 2.0 };
            let room = errors * (MAX_SHARE * (1.0 - MAX_SHARE) / f64::from(draws)).sqrt();
            let good = !truth.barred || count < THRESHOLD_MIN_SAMPLES || found <= MAX_SHARE + room;
            missed += usize::from(!good);
            let mark = if good { "" } else { " **missed**" };
            rows.push(vec![
                truth.name.to_owned(),
                count.to_string(),
                format!("{:.1} %{mark}", found * 100.0),
            ]);
        }
    }
    table::print(
        &format!("Differences found at p below 0.05 where there is none, in {draws} runs each:"),
        &["truth", "samples or clusters", "found"],
        &rows,
    );
    missed
}
