//! The budget of a sweep, which its cells share.

use std::path::Path;

use harness::{SharedBudget, Spent};
use records::run_dir::{Reopened, RunDir};

use super::cell::resume_advice;
use super::conclusion::compare_finished;
use crate::command::raised_budget::raised;
use crate::error::Error;
use crate::process::terminal;
use crate::settings::{RunSettings, SettingsError};
use crate::sweep::{Plan, SweepArgs};

/// Checks that the budget can be enforced in every cell.
///
/// # Errors
/// [`SettingsError`] for a cost limit that is out of range, or if the price of a model is unknown.
pub(super) fn check(plan: &Plan) -> Result<(), SettingsError> {
    if plan.budget.limits.max_cost.is_none() {
        return Ok(());
    }
    for cell in &plan.cells {
        let mut flags = cell.flags.clone();
        flags.engine.budget.limits.max_cost = plan.budget.limits.max_cost;
        RunSettings::resolve(&flags)?;
    }
    Ok(())
}

/// Opens the budget, charged with the spending of earlier starts; `None` if nothing is limited.
///
/// # Errors
/// [`Error`] if a cell's folder cannot be read or is in use by another process.
pub(super) fn open(folder: &Path, plan: &Plan) -> Result<Option<SharedBudget>, Error> {
    if plan.budget.is_unlimited() {
        return Ok(None);
    }
    let budget = SharedBudget::new(plan.budget.budget());
    for cell in &plan.cells {
        let dir = folder.join(&cell.name);
        if RunDir::is_begun(&dir) {
            budget.charge(spent_in(&dir)?);
        }
    }
    Ok(Some(budget))
}

/// Returns the total spending of a cell over all its starts.
///
/// # Errors
/// [`Error`] if its folder cannot be read or is in use by another process.
pub(super) fn spent_in(dir: &Path) -> Result<Spent, Error> {
    let spent = Reopened::open(dir)?.spent()?;
    let (usage, calls) = (Some(spent.usage), spent.llm_calls);
    Ok(Spent::new(usage, spent.cost_usd, calls))
}

/// Whether the budget is used up, but not all cells are finished. If so, compares the finished
/// attempts, and prints why the sweep stopped and how to resume it.
///
/// # Errors
/// [`Error`] if a cell's folder cannot be read or the comparison cannot be written.
pub(super) fn has_stopped(
    folder: &Path,
    plan: &Plan,
    budget: Option<&SharedBudget>,
    args: &SweepArgs,
    retry_errors: bool,
) -> Result<bool, Error> {
    let Some((budget, error)) = budget.and_then(|budget| Some((budget, budget.exhausted()?)))
    else {
        return Ok(false);
    };
    let mut unfinished_cells = Vec::new();
    for cell in &plan.cells {
        if !is_whole(&folder.join(&cell.name), retry_errors)? {
            unfinished_cells.push(cell.name.as_str());
        }
    }
    if unfinished_cells.is_empty() {
        return Ok(false);
    }
    compare_finished(folder, plan, args.json)?;
    terminal::note(&format!("the sweep was stopped: {error}"));
    terminal::note(&format!(
        "unfinished cells ({} of {}): {}; {}",
        unfinished_cells.len(),
        plan.cells.len(),
        unfinished_cells.join(", "),
        higher_budget_advice(folder, plan, budget, args)
    ));
    Ok(true)
}

/// Returns advice with the command that resumes the sweep with a higher budget.
pub(super) fn higher_budget_advice(
    folder: &Path,
    plan: &Plan,
    budget: &SharedBudget,
    args: &SweepArgs,
) -> String {
    let raised = raised(&plan.budget.budget(), budget.spent());
    let lead = if raised.is_empty() {
        ""
    } else {
        "with a higher budget "
    };
    format!("{lead}{}", resume_advice(folder, plan, args, &raised))
}

/// Whether a cell has all attempts and, with `retry_errors`, a score for each of them.
fn is_whole(dir: &Path, retry_errors: bool) -> Result<bool, Error> {
    if !RunDir::is_begun(dir) {
        return Ok(false);
    }
    let run = RunDir::open(dir)?;
    let is_open = |score: Option<f64>| retry_errors && score.is_none();
    Ok(run.records.len() as u64 >= run.attempts_total()
        && !run.records.iter().any(|record| is_open(record.score)))
}
