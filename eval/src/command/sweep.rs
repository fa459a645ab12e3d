//! `rlm-eval sweep`: runs every cell of a matrix and compares the results.

mod cell;
mod conclusion;
mod dry_run;
mod race;
mod rounds;
mod spending;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use records::run_dir::RunDir;

use super::raised_budget::raised;
use super::run::expense::{Sum, limits_expense};
use super::run::{self, CellStart, RunContext};
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::terminal;
use crate::settings::RunSettings;
use crate::sweep::{Cell, Matrix, Plan, SweepArgs, plan_cells};

use cell::{
    check_cell, check_places, failed_attempts, flags_to_repeat, quoted, resume_advice, run_cell,
};
use conclusion::conclude;

/// Starts or resumes a sweep.
///
/// # Errors
/// [`Error`] for invalid settings of any cell, reported before the first cell starts, and for
/// infrastructure failures.
pub(super) fn execute(args: &SweepArgs) -> Result<Outcome, Error> {
    if let Some(folder) = &args.replay_race {
        return race::replay(folder, args);
    }
    let (folder, plan) = if let Some(folder) = &args.resume {
        let mut plan = Plan::read(folder)?;
        let budget = args.budget.or(plan.budget);
        let is_other_budget = budget != plan.budget;
        if is_other_budget {
            plan.budget = budget;
            spending::check(&plan)?;
        }
        check_places(folder, &plan, args)?;
        for cell in &plan.cells {
            check_cell(folder, cell, args)?;
        }
        if is_other_budget {
            plan.write(folder)?;
        }
        (folder.clone(), plan)
    } else {
        let mut plan = plan_cells(&Matrix::resolve(args)?)?;
        plan.budget = args.budget;
        spending::check(&plan)?;
        for skipped in &plan.skipped {
            terminal::note(&format!("skipped {}: {}", skipped.cell, skipped.reason));
        }
        for left_out in &plan.left_out {
            terminal::note(&format!(
                "omitted from {}: {}",
                left_out.cell, left_out.reason
            ));
        }
        let (mut notes, mut warnings) = (BTreeSet::new(), BTreeSet::new());
        for cell in plan.cells.clone() {
            // Open everything that the cell needs, so that missing files are reported before
            // anything runs.
            let mut settings = RunSettings::resolve(&cell.flags)?;
            // Report a note that applies to several cells once.
            settings.notes.retain(|text| notes.insert(text.clone()));
            settings
                .warnings
                .retain(|text| warnings.insert(text.clone()));
            match run::matching(&settings.announce()) {
                Ok(0) => return Ok(Outcome::NothingMatched),
                Ok(_) => {}
                Err(Error::Protocol(unfit)) if plan.cells.len() > 1 => {
                    terminal::note(&format!("skipped {}: {unfit}", cell.name));
                    plan.skip(&cell, unfit.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(against) = args.race.race {
            plan.race = race::header(&plan, against, args)?;
            if plan.race.is_none() {
                return Ok(Outcome::NothingMatched);
            }
        }
        if args.estimate.dry_run {
            return dry_run::execute(&plan, args);
        }
        warn_of_shortfall(&plan)?;
        let folder = args.out.clone().unwrap_or_else(default_folder);
        plan.create(&folder)?;
        (folder, plan)
    };
    let budget = spending::open(&folder, &plan)?;
    if let Some(header) = &plan.race {
        return race::execute(&folder, &plan, header, args, budget.as_ref());
    }
    let mut worst = Outcome::Complete;
    let mut failed = BTreeSet::new();
    let to_retry = failed_attempts(&folder, &plan, args)?;
    let has_stopped =
        |retry_errors| spending::has_stopped(&folder, &plan, budget.as_ref(), args, retry_errors);
    for round in rounds::of(&plan, budget.is_some())? {
        for (place, cell) in plan.cells.iter().enumerate() {
            if has_stopped(args.policy.retry_errors)? {
                return Ok(worst.max(Outcome::Incomplete));
            }
            if !args.policy.retry_errors && round.is_done(&folder, place, cell)? {
                continue;
            }
            terminal::note(&round.title(&plan, place));
            let run_context = RunContext::SweepCell(CellStart {
                budget: budget.clone(),
                samples: round.samples(place),
                failed: to_retry.get(&cell.name).cloned().unwrap_or_default(),
            });
            let outcome = run_cell(&folder, &plan, cell, None, args, &run_context)?;
            if outcome == Outcome::Interrupted {
                terminal::note(&resume_advice(&folder, &plan, args, ""));
                return Ok(outcome);
            }
            if outcome == Outcome::InfrastructureFailed {
                failed.insert(cell.name.as_str());
            }
            // In earlier rounds, cells are incomplete by design.
            if round.is_last() || outcome == Outcome::InfrastructureFailed {
                worst = worst.max(outcome);
            }
        }
    }
    if has_stopped(false)? {
        return Ok(worst.max(Outcome::Incomplete));
    }
    conclude(&folder, &plan, args.json)?;
    terminal::note(&format!("sweep: {}", folder.display()));
    advise(&folder, &plan, &failed, args)?;
    Ok(worst)
}

/// Warns if the budget of a sweep is below the minimum expense of all cells.
fn warn_of_shortfall(plan: &Plan) -> Result<(), Error> {
    let budget = plan.budget.budget();
    // A race usually stops before all samples are run.
    if !limits_expense(budget) || plan.race.is_some() {
        return Ok(());
    }
    let mut least = Sum::NOTHING;
    for cell in &plan.cells {
        let settings = RunSettings::resolve(&cell.flags)?.settings;
        if let Some(of_cell) = run::least(&settings)? {
            least = least.plus(of_cell);
        }
    }
    if let Some(warning) = least.shortfall(budget, "the sweep's ") {
        terminal::warning(&warning);
    }
    Ok(())
}

/// Prints how to resume incomplete cells. For cells in `failed`, which were stopped by errors, it
/// does not suggest a higher budget.
fn advise(
    folder: &Path,
    plan: &Plan,
    failed: &BTreeSet<&str>,
    args: &SweepArgs,
) -> Result<(), Error> {
    let mut stopped = Vec::new();
    let mut commands = Vec::new();
    let mut lacks_scores = false;
    for Cell { name, flags } in &plan.cells {
        let dir = folder.join(name);
        let run = RunDir::open(&dir)?;
        let is_whole = run.records.len() as u64 >= run.attempts_total();
        if !is_whole && !failed.contains(name.as_str()) {
            stopped.push(name.as_str());
            let again = flags_to_repeat(folder, plan, args);
            commands.push(format!(
                "`rlm-eval run --resume {}{}{again}`",
                quoted(&dir),
                raised(&flags.engine.budget.of_run(), spending::spent_in(&dir)?)
            ));
        }
        lacks_scores |= run.records.iter().any(|record| record.score.is_none());
    }
    if !stopped.is_empty() {
        // `run --resume` does not enforce the budget of the sweep.
        let beyond = if plan.budget.is_unlimited() {
            ""
        } else {
            " (that run counts against the sweep's budget but is not limited by it)"
        };
        terminal::note(&format!(
            "{} not finished: {}; to continue with a higher budget, run {}{beyond}, then {}",
            if stopped.len() == 1 {
                "1 cell is".to_owned()
            } else {
                format!("{} cells are", stopped.len())
            },
            stopped.join(", "),
            commands.join(" and "),
            resume_advice(folder, plan, args, "")
        ));
    }
    if lacks_scores {
        terminal::note(&format!(
            "not every attempt has a score; {}",
            resume_advice(folder, plan, args, " --retry-errors")
        ));
    }
    Ok(())
}

fn default_folder() -> PathBuf {
    let now = Timestamp::now().strftime("%Y%m%d-%H%M%S");
    Path::new("results").join(format!("sweep-{now}"))
}
