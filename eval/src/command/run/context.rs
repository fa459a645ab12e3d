//! The context of a run: alone, a cell of a sweep, or a pilot.

use std::collections::BTreeSet;
use std::path::Path;

use harness::SharedBudget;
use jiff::Timestamp;
use records::AttemptRecord;

use super::prepared::Prepared;
use crate::process::invocation::quoted;
use crate::run::resume::Remaining;

/// Whether a run stands alone, is a cell of a sweep, or is a pilot.
#[derive(Debug, Clone)]
pub(in crate::command) enum RunContext {
    /// Prints the summary.
    Standalone,
    /// Prints no summary.
    SweepCell(CellStart),
    /// Prints no summary and no advice on resuming, because the run only serves an estimate.
    /// Contains the budget of the sweep that the pilot belongs to, if any.
    Pilot(Option<SharedBudget>),
}

/// Settings with which a sweep starts a cell.
#[derive(Debug, Clone)]
pub(in crate::command) struct CellStart {
    /// Budget of the sweep, if it has one.
    pub budget: Option<SharedBudget>,
    /// Maximum number of samples that this start runs, in the run's order; `None` for all.
    pub samples: Option<usize>,
    /// Attempts that ended in an error before the sweep was resumed. No others are rerun, because
    /// a sweep may start a cell several times.
    pub failed: BTreeSet<AttemptStart>,
}

/// Id of the sample, number of the attempt, and time at which it started.
pub(in crate::command) type AttemptStart = (String, u32, Option<Timestamp>);

/// Returns the key that tells an attempt from its reruns.
pub(in crate::command) fn attempt_start(record: &AttemptRecord) -> AttemptStart {
    (record.id.clone(), record.attempt, record.started_at)
}

impl RunContext {
    pub(super) const fn budget(&self) -> Option<&SharedBudget> {
        match self {
            Self::Standalone => None,
            Self::SweepCell(start) => start.budget.as_ref(),
            Self::Pilot(budget) => budget.as_ref(),
        }
    }

    /// Whether this start runs only a part of the samples.
    pub(super) const fn is_partial(&self) -> bool {
        matches!(
            self,
            Self::SweepCell(CellStart {
                samples: Some(_),
                ..
            })
        )
    }

    /// Keeps only the attempts that this start makes.
    pub(super) fn restrict(&self, remaining: &mut Remaining, prepared: &Prepared) {
        let Self::SweepCell(start) = self else {
            return;
        };
        let earlier = remaining.earlier.iter();
        let done: BTreeSet<(String, u32)> = earlier
            .filter(|record| !start.failed.contains(&attempt_start(record)))
            .map(|record| (record.id.clone(), record.attempt))
            .collect();
        let samples = start.samples.unwrap_or(usize::MAX);
        let part: BTreeSet<usize> = prepared.samples().iter().take(samples).copied().collect();
        let key = |(sample, attempt): &(usize, u32)| (prepared.id(*sample), *attempt);
        let is_due = |job: &(usize, u32)| part.contains(&job.0) && !done.contains(&key(job));
        remaining.jobs.retain(is_due);
        let due: BTreeSet<(String, u32)> = remaining.jobs.iter().map(key).collect();
        remaining.again.retain(|attempt| due.contains(attempt));
    }

    /// Returns advice with the command that resumes the run in `dir`, with the flags `more` and the
    /// repeated flags `again`, each preceded by a space. A cell is resumed through its sweep,
    /// because only the sweep enforces the joint budget. Returns `None` for a pilot, or if a budget
    /// of the cell or of the sweep must be raised first; the sweep reports that at its end.
    pub(super) fn resume_advice(
        &self,
        dir: &Path,
        again: &str,
        more: &str,
        over_budget: bool,
    ) -> Option<String> {
        let start = match self {
            Self::Standalone => {
                return Some(format!(
                    "continue with `rlm-eval run --resume {}{more}{again}`",
                    quoted(&dir.display().to_string()),
                ));
            }
            Self::SweepCell(start) => start,
            Self::Pilot(_) => return None,
        };
        let again = match again {
            "" => String::new(),
            again => format!(" --{again}"),
        };
        let sweep = dir.parent().unwrap_or(dir).display().to_string();
        let budget = start.budget.as_ref();
        if over_budget || budget.and_then(SharedBudget::exhausted).is_some() {
            return None;
        }
        Some(format!(
            "continue with `rlm-eval sweep --resume {}{more}{again}`",
            quoted(&sweep)
        ))
    }
}
