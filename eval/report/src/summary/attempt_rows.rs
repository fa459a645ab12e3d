//! Table rows for runs with several attempts at each sample.

use std::collections::BTreeSet;

use statistics::Estimate;

use super::figures::{none, score_text};
use super::{Attempts, Summary};

/// A table row: one figure of each run.
pub(super) struct AttemptFigure {
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

/// Returns the rows for these runs, or nothing if every run made a single attempt at each sample.
/// If any attempt ended in an error, each row is followed by a row that counts errors as 0.
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
    // Rows that would repeat another row are omitted.
    let is_score = is_pass_at_1(runs);
    let is_best = sizes.last().filter(|k| is_best(runs, **k));
    let at = sizes.iter().filter(|k| **k > 1 || !is_score);
    let at = at.map(|&k| {
        let best = if is_best == Some(&k) {
            ", best of attempts"
        } else {
            ""
        };
        (format!("pass@{k}{best}"), Kind::PassAt(k))
    });
    // pass^1 equals pass@1.
    let hat = sizes.iter().filter(|k| **k > 1);
    let hat = hat.map(|&k| (format!("pass^{k}"), Kind::PassHat(k)));
    let best = is_best
        .is_none()
        .then(|| ("best of attempts".to_owned(), Kind::Best));
    let rows = at.chain(hat).chain(best);
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

/// Whether pass@1 equals the score in all runs with several attempts, so that one row shows both.
pub(super) fn is_pass_at_1(runs: &[(&str, &Summary)]) -> bool {
    are_same(runs, |run| {
        let scores = [&run.score, &run.score_errors_as_zero];
        let scores = scores.map(|score| Some((score.as_ref(), None)));
        (scores, Kind::PassAt(1))
    })
}

/// Whether pass@k equals the best of attempts in all runs with several attempts, so that one row
/// shows both.
fn is_best(runs: &[(&str, &Summary)], k: u32) -> bool {
    are_same(runs, |run| {
        let repeated = run.repeated.as_ref();
        let ways = repeated.map(|run| [&run.errors_excluded, &run.errors_as_zero]);
        let best = ways.map_or([None; 2], |ways| ways.map(|way| Kind::Best.of(way)));
        (best, Kind::PassAt(k))
    })
}

/// A figure and the number of samples that it covers.
type Figure<'a> = (Option<&'a Estimate>, Option<u64>);

/// Whether the figures that `of_run` returns, with errors excluded and as zero, equal those of the
/// kind that it returns, in all runs with several attempts.
fn are_same<'a>(
    runs: &[(&str, &'a Summary)],
    of_run: impl Fn(&'a Summary) -> ([Option<Figure<'a>>; 2], Kind),
) -> bool {
    let mut repeated = runs.iter().filter(|(_, run)| run.repeated.is_some());
    let is_same = |(_, run): &(&str, &'a Summary)| {
        let (figures, kind) = of_run(run);
        let repeated = run.repeated.as_ref();
        let ways = repeated.map(|run| [&run.errors_excluded, &run.errors_as_zero]);
        let mut ways = ways.into_iter().flatten().zip(figures);
        ways.all(|(way, figure)| match (kind.of(way), figure) {
            (Some((one, samples)), Some((other, _))) => {
                score_text(one) == score_text(other)
                    && samples.is_none_or(|samples| samples == run.samples)
            }
            _ => false,
        })
    };
    repeated.clone().next().is_some() && repeated.all(is_same)
}

impl AttemptFigure {
    /// Returns the table cell of a run.
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
    /// Returns the figure and the number of samples that it covers.
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
