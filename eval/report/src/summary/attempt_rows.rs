//! Table rows for runs with several attempts at each sample.

use std::collections::BTreeSet;

use statistics::Estimate;

use super::table::{none, score_text};
use super::{Attempts, Summary};

/// A row of the table: one figure of each run.
pub(super) struct AttemptFigure {
    /// Name of the row.
    pub name: String,
    kind: Kind,
    errors_as_zero: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    PassAt(u32),
    PassHat(u32),
    Best,
}

/// Returns the rows for these runs, or nothing if all runs made a single attempt. If attempts ended
/// in an error, each row is followed by one that counts errors as 0.
pub(super) fn attempt_figures(runs: &[(&str, &Summary)]) -> Vec<AttemptFigure> {
    let repeated: Vec<_> = runs
        .iter()
        .filter_map(|(_, run)| run.repeated.as_ref())
        .collect();
    if repeated.is_empty() {
        return Vec::new();
    }
    let sizes: BTreeSet<u32> = repeated
        .iter()
        .flat_map(|run| run.errors_excluded.pass.iter().map(|pass| pass.k))
        .collect();
    let at = sizes
        .iter()
        .map(|&k| (format!("pass@{k}"), Kind::PassAt(k)));
    // pass^1 equals pass@1.
    let hat = sizes.iter().filter(|k| **k > 1);
    let hat = hat.map(|&k| (format!("pass^{k}"), Kind::PassHat(k)));
    let rows = at
        .chain(hat)
        .chain([("best of attempts".to_owned(), Kind::Best)]);
    let errors = runs.iter().any(|(_, run)| run.statuses.error > 0);
    rows.flat_map(|(name, kind)| {
        let zero = errors.then(|| AttemptFigure {
            name: "  errors as zero".to_owned(),
            kind,
            errors_as_zero: true,
        });
        let plain = AttemptFigure {
            name,
            kind,
            errors_as_zero: false,
        };
        [plain].into_iter().chain(zero)
    })
    .collect()
}

impl AttemptFigure {
    /// Returns the cell of a run.
    pub fn cell(&self, run: &Summary) -> String {
        let Some(repeated) = &run.repeated else {
            return none();
        };
        let attempts = if self.errors_as_zero {
            &repeated.errors_as_zero
        } else {
            &repeated.errors_excluded
        };
        let Some((estimate, samples)) = self.kind.of(attempts) else {
            return none();
        };
        let part = match samples {
            Some(samples) if samples < run.samples => format!(" of {samples} samples"),
            _ => String::new(),
        };
        score_text(estimate) + &part
    }
}

impl Kind {
    /// Returns the figure, and the number of its samples if that depends on the row.
    fn of(self, attempts: &Attempts) -> Option<(Option<&Estimate>, Option<u64>)> {
        let pass = |k| attempts.pass.iter().find(|pass| pass.k == k);
        Some(match self {
            Self::PassAt(k) => pass(k).map(|pass| (pass.pass_at_k.as_ref(), Some(pass.samples)))?,
            Self::PassHat(k) => {
                pass(k).map(|pass| (pass.pass_hat_k.as_ref(), Some(pass.samples)))?
            }
            Self::Best => {
                let samples = attempts.pass.last().map(|pass| pass.samples);
                (attempts.best_of_n.as_ref(), samples)
            }
        })
    }
}
