//! Totals over many races of one design.

use super::sweep::{Design, Outcome};

#[derive(Default)]
pub struct Tally {
    races: usize,
    wrong: usize,
    best_kept: usize,
    decided: usize,
    saved: f64,
    held: [usize; 2],
    intervals: [usize; 2],
    off: [f64; 2],
    stopped: usize,
}

impl Tally {
    pub fn add(&mut self, outcome: &Outcome) {
        self.races += 1;
        self.wrong += usize::from(outcome.wrong);
        self.best_kept += usize::from(outcome.best_kept);
        self.decided += usize::from(outcome.is_decided);
        self.saved += outcome.saved;
        for (place, held) in outcome.held.iter().enumerate() {
            self.held[place] += held.iter().filter(|held| **held).count();
            self.intervals[place] += held.len();
        }
        for off in &outcome.off {
            self.stopped += 1;
            self.off[0] += off[0];
            self.off[1] += off[1];
        }
    }

    fn share(&self, count: usize) -> f64 {
        count as f64 / self.races.max(1) as f64
    }

    fn held(&self, place: usize) -> f64 {
        self.held[place] as f64 / self.intervals[place].max(1) as f64
    }

    fn saved(&self) -> f64 {
        self.saved / self.races.max(1) as f64
    }

    /// Returns the number of missed thresholds. With few races (`quick`), only misses far beyond
    /// chance count.
    pub fn misses(&self, design: &Design, quick: bool) -> usize {
        let room = if quick { 0.05 } else { 0.0 };
        let bars = [
            self.share(self.wrong) <= 0.05 + room,
            self.share(self.best_kept) >= 0.99 - room || design.better < 0.15,
            design.saved.is_none_or(|bar| self.saved() >= bar - room),
            self.held(0) >= 0.95 - room,
            self.held(1) >= 0.95 - room,
        ];
        bars.iter().filter(|holds| !**holds).count()
    }

    pub fn row(&self, design: &Design) -> Vec<String> {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let points = |sum: f64| match self.stopped {
            0 => "-".to_owned(),
            stopped => format!("{:+.1} points", 100.0 * sum / stopped as f64),
        };
        vec![
            design.cells.to_string(),
            design.name.to_owned(),
            format!("{}", design.min_difference),
            percent(self.share(self.wrong)),
            if design.better > 0.0 && !design.baseline {
                percent(self.share(self.best_kept))
            } else {
                "-".to_owned()
            },
            percent(self.saved()),
            percent(self.share(self.decided)),
            percent(self.held(0)),
            percent(self.held(1)),
            points(self.off[0]),
            points(self.off[1]),
        ]
    }
}
