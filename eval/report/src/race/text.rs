//! Formats a race: lines for each block, and the final table.

use statistics::{RaceOpponents, Verdict};

use super::{RaceBlock, RaceHeader, RaceResult};
use crate::columns::in_columns;
use crate::compare::p_text;
use crate::summary::none;

/// Returns a line for the block and a line for each cell that stopped.
pub fn block_lines(header: &RaceHeader, block: &RaceBlock) -> Vec<String> {
    let running = block.cells.iter().enumerate();
    let running: Vec<usize> = running
        .filter(|(_, standing)| standing.verdict.is_none())
        .map(|(cell, _)| cell)
        .collect();
    let means = running.iter().filter_map(|cell| {
        let mean = block.cells[*cell].mean?;
        Some(format!("{} {mean:.3}", header.cells[*cell]))
    });
    let means: Vec<String> = means.collect();
    let still = match means.as_slice() {
        [] => "no cell is still running".to_owned(),
        means => format!("still running: {}", means.join(", ")),
    };
    let first = format!(
        "block {}, {} of {} samples: {still}",
        block.block,
        block.samples,
        header.samples()
    );
    let stopped = block.stopped.iter();
    let stopped = stopped.map(|(cell, why)| format!("  {cell} stops: {why}"));
    std::iter::once(first).chain(stopped).collect()
}

/// Returns a verdict as shown in tables.
const fn word(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        None => "undecided",
        Some(Verdict::Worse) => "worse",
        Some(Verdict::NotBetter) => "not better",
        Some(Verdict::Better) => "better",
        Some(Verdict::Alike) => "alike",
        Some(Verdict::Won) => "last",
    }
}

const UNCORRECTED: &str = "uncorrected";

impl RaceResult {
    /// Returns the column names of the final table, and a row for each cell.
    pub(crate) fn rows(&self) -> (Vec<&'static str>, Vec<(String, Vec<String>)>) {
        let columns = vec![
            "verdict",
            "samples",
            "score",
            "difference",
            UNCORRECTED,
            "interval",
            "p",
        ];
        let rows = self.cells.iter().map(|cell| {
            let figure = |of: &dyn Fn(&statistics::StoppedDifference) -> String| {
                let difference = cell.difference.as_ref();
                difference.map_or_else(none, of)
            };
            let row = vec![
                word(cell.verdict).to_owned(),
                cell.samples.to_string(),
                cell.mean.map_or_else(none, |mean| format!("{mean:.3}")),
                figure(&|difference| format!("{:+.3}", difference.corrected)),
                figure(&|difference| format!("{:+.3}", difference.seen)),
                figure(&|difference| {
                    let [low, high] = difference.interval;
                    format!("{low:+.2} to {high:+.2}")
                }),
                cell.p.map_or_else(none, p_text),
            ];
            (cell.name.clone(), row)
        });
        (columns, rows.collect())
    }

    /// Returns sentences that summarize the result.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        match (&self.best, self.is_decided, &self.rules.against) {
            (Some(best), true, RaceOpponents::Best) => sentences.push(format!(
                "{best} remains: no other cell is better than all others by {} (alpha {}).",
                self.rules.min_difference, self.rules.alpha
            )),
            (Some(best), false, RaceOpponents::Best) => sentences.push(format!(
                "Undecided: {best} has the best score of the cells that did not stop."
            )),
            (_, true, RaceOpponents::Baselines(_)) => {
                sentences.push("Every cell has a verdict against its baseline.".to_owned());
            }
            (_, false, RaceOpponents::Baselines(_)) => {
                sentences.push("Undecided: some cells do not have a verdict.".to_owned());
            }
            (None, ..) => {}
        }
        let attempts = format!(
            "{} of the full sweep's {} attempts",
            self.attempts, self.attempts_of_full_sweep
        );
        sentences.push(match (self.is_finished, self.blocks) {
            (true, _) => format!("{attempts} were made: {:.0} % saved.", 100.0 * self.saved()),
            (false, 0) => "The race has not ended: no block is decided.".to_owned(),
            (false, 1) => format!("The race has not ended: 1 block is decided, with {attempts}."),
            (false, blocks) => {
                format!("The race has not ended: {blocks} blocks are decided, with {attempts}.")
            }
        });
        if self.cells.is_empty() {
            return sentences;
        }
        let with = match self.rules.against {
            RaceOpponents::Best => "the best remaining cell",
            RaceOpponents::Baselines(_) => "the baseline",
        };
        sentences.push(format!(
            "Differences are measured from {with} and corrected for early stopping; intervals and p values are valid no matter when a cell stopped."
        ));
        sentences
    }
}

/// Formats the final table of a race, at most `width` columns wide.
pub fn race_table(result: &RaceResult, width: u16) -> String {
    let sentences = result.sentences().join("\n");
    let (columns, rows) = result.rows();
    if rows.is_empty() {
        return sentences + "\n";
    }
    // A terminal is too narrow for the uncorrected figures, which the HTML page and the JSON
    // contain.
    let is_shown = |column: &usize| columns[*column] != UNCORRECTED;
    let places: Vec<usize> = (0..columns.len()).filter(is_shown).collect();
    let rows = rows.into_iter().map(|(name, row)| {
        let shown = places.iter().map(|place| row[*place].clone());
        (name, shown.collect())
    });
    let columns: Vec<&str> = places.iter().map(|place| columns[*place]).collect();
    let table = in_columns("race", columns, rows, width);
    format!("{table}\n{sentences}\n")
}
