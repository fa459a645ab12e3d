//! The context of a run: alone or a cell of a sweep.

use std::collections::BTreeSet;
use std::path::Path;

use harness::SharedBudget;

use super::prepared::Prepared;
use crate::process::invocation::quoted;

/// Whether a run stands alone or is a cell of a sweep.
#[derive(Debug, Clone)]
pub(in crate::command) enum RunContext {
    /// Prints the summary.
    Standalone,
    /// Prints no summary: the run is a cell of a sweep, or a pilot.
    SweepCell(CellStart),
}

/// Settings with which a sweep starts a cell.
#[derive(Debug, Clone, Default)]
pub(in crate::command) struct CellStart {
    /// Budget of the sweep, if it has one.
    pub budget: Option<SharedBudget>,
    /// Maximum number of samples that this start runs, in the run's order; `None` for all.
    pub samples: Option<usize>,
}

impl RunContext {
    /// Returns the run with its engine bound to the budget of the sweep, if any.
    pub(super) fn bound(&self, mut prepared: Prepared) -> Prepared {
        if let Some(budget) = self.budget() {
            prepared.engine = prepared.engine.within(budget);
        }
        prepared
    }

    pub(super) const fn budget(&self) -> Option<&SharedBudget> {
        match self {
            Self::Standalone => None,
            Self::SweepCell(start) => start.budget.as_ref(),
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

    /// Keeps only attempts at the samples that this invocation runs.
    pub(super) fn keep_part(
        &self,
        mut jobs: Vec<(usize, u32)>,
        prepared: &Prepared,
    ) -> Vec<(usize, u32)> {
        if let Self::SweepCell(CellStart {
            samples: Some(most),
            ..
        }) = self
        {
            let samples = prepared.samples();
            let first: BTreeSet<usize> = samples.iter().take(*most).copied().collect();
            jobs.retain(|(sample, _)| first.contains(sample));
        }
        jobs
    }

    /// Returns advice with the command that resumes the run in `dir`, with the flags `more` and the
    /// repeated flags `again`, each preceded by a space. A cell is resumed through its sweep,
    /// because only the sweep enforces the joint budget. Returns `None` if a budget of the cell or
    /// of the sweep must be raised first; the sweep reports that at its end.
    pub(super) fn resume_advice(
        &self,
        dir: &Path,
        again: &str,
        more: &str,
        over_budget: bool,
    ) -> Option<String> {
        let Self::SweepCell(start) = self else {
            return Some(format!(
                "continue with `rlm-eval run --resume {}{more}{again}`",
                quoted(&dir.display().to_string()),
            ));
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
