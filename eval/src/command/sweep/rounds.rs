//! Order in which a sweep runs its cells.
//!
//! A sweep with a budget runs the samples in rounds: in each round, every cell runs the same part
//! of the samples, so that all cells can be compared on the finished part when the budget is used
//! up. Without a budget, the cells run one after the other.

use std::path::Path;

use records::run_dir::RunDir;

use crate::command::run;
use crate::error::Error;
use crate::settings::RunSettings;
use crate::sweep::{Cell, Plan};

/// Fraction of each cell's samples that is finished after each round.
const PARTS: [f64; 5] = [1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0, 1.0 / 2.0, 1.0];

/// A pass over all cells.
pub(super) struct Round {
    /// Number of samples finished by each cell after the round; empty for all samples.
    samples: Vec<usize>,
    number: usize,
    of: usize,
}

/// Returns the rounds of a sweep: several with a budget and several cells, otherwise one.
///
/// # Errors
/// [`Error`] for cells whose settings cannot be used.
pub(super) fn of(plan: &Plan, has_budget: bool) -> Result<Vec<Round>, Error> {
    let mut totals = Vec::new();
    if has_budget && plan.cells.len() > 1 {
        for cell in &plan.cells {
            totals.push(run::matching(&RunSettings::resolve(&cell.flags)?.settings)?);
        }
    }
    Ok(parts(&totals))
}

fn parts(totals: &[usize]) -> Vec<Round> {
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for part in PARTS {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive part of the number of samples"
        )]
        let of_total = |total: &usize| ((*total as f64 * part).ceil() as usize).max(1);
        let samples: Vec<usize> = totals.iter().map(of_total).collect();
        if rounds.last() != Some(&samples) {
            rounds.push(samples);
        }
    }
    let of = rounds.len();
    let rounds = rounds.into_iter().zip(1..);
    rounds
        .map(|(samples, number)| Round {
            samples,
            number,
            of,
        })
        .collect()
}

impl Round {
    /// Number of samples that a cell has finished after this round; `None` for all.
    pub(super) fn samples(&self, cell: usize) -> Option<usize> {
        self.samples.get(cell).copied().filter(|_| !self.is_last())
    }

    pub(super) const fn is_last(&self) -> bool {
        self.number == self.of
    }

    /// Whether a cell already has all attempts of this round, for example in a resumed sweep. In
    /// the last round, always `false`, so that every cell starts and reports missing attempts.
    ///
    /// # Errors
    /// [`Error`] if the cell's folder cannot be read.
    pub(super) fn is_done(&self, folder: &Path, place: usize, cell: &Cell) -> Result<bool, Error> {
        let dir = folder.join(&cell.name);
        let Some(samples) = self.samples(place).filter(|_| RunDir::is_begun(&dir)) else {
            return Ok(false);
        };
        let attempts = samples as u64 * u64::from(cell.flags.attempts);
        Ok(RunDir::open(&dir)?.records.len() as u64 >= attempts)
    }

    /// Returns the line that announces a cell.
    pub(super) fn title(&self, plan: &Plan, place: usize) -> String {
        let (number, cells, name) = (place + 1, plan.cells.len(), &plan.cells[place].name);
        match self.samples.get(place) {
            Some(samples) if self.of > 1 => {
                let (round, of) = (self.number, self.of);
                format!(
                    "round {round} of {of}, up to {samples} samples: cell {number} of {cells}: {name}"
                )
            }
            _ => format!("cell {number} of {cells}: {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn rounds_grow_up_to_all_samples() {
        let rows: [(&[usize], &[&[usize]]); 5] = [
            (&[], &[&[]]),
            (&[1, 1], &[&[1, 1]]),
            (&[3, 3], &[&[1, 1], &[2, 2], &[3, 3]]),
            (&[16, 16], &[&[1, 1], &[2, 2], &[4, 4], &[8, 8], &[16, 16]]),
            (
                &[100, 2],
                &[&[7, 1], &[13, 1], &[25, 1], &[50, 1], &[100, 2]],
            ),
        ];
        for (totals, expected) in rows {
            let rounds = parts(totals);
            let samples: Vec<&[usize]> = rounds.iter().map(|round| &round.samples[..]).collect();
            assert_eq!(samples, expected, "{totals:?}");
            assert!(rounds.last().is_some_and(super::Round::is_last));
        }
    }
}
