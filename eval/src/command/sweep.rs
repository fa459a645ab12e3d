//! `rlm-eval sweep`: runs every cell of a matrix and compares the results.

mod dry_run;
mod race;
mod rounds;
mod spending;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ::report::{SweepReport, conclusion};
use jiff::Timestamp;
use records::run_dir::{RunDir, read_config, write_whole};
use serde_json::json;

use super::raised_budget::raised;
use super::run::expense::{Caps, Sum};
use super::run::{self, CellStart, RunContext};
use super::{compare, report, stdout};
use crate::cli::{ResumeArgs, SweepArgs};
use crate::error::Error;
use crate::exit::Outcome;
use crate::folders::Found;
use crate::invocation;
use crate::settings::{self, Matrix, RunSettings};
use crate::sweep::{Cell, Plan, SweepError, plan_cells};
use crate::terminal;

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
        if args.dry_run {
            return dry_run::execute(&plan, args);
        }
        if let Some(against) = args.race {
            plan.race = race::header(&plan, against, args)?;
            if plan.race.is_none() {
                return Ok(Outcome::NothingMatched);
            }
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
    for round in rounds::of(&plan, budget.is_some())? {
        for (place, cell) in plan.cells.iter().enumerate() {
            let unfinished_cells =
                spending::unfinished_cells(&folder, &plan, budget.as_ref(), args.retry_errors)?;
            if !unfinished_cells.is_empty() {
                compare_finished(&folder, &plan, args.json)?;
                spending::announce(&folder, &plan, budget.as_ref(), args, &unfinished_cells);
                return Ok(worse(worst, Outcome::Incomplete));
            }
            if !args.retry_errors && round.is_done(&folder, place, cell)? {
                continue;
            }
            terminal::note(&round.title(&plan, place));
            let run_context = RunContext::SweepCell(CellStart {
                budget: budget.clone(),
                samples: round.samples(place),
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
                worst = worse(worst, outcome);
            }
        }
    }
    let unfinished_cells = spending::unfinished_cells(&folder, &plan, budget.as_ref(), false)?;
    if !unfinished_cells.is_empty() {
        compare_finished(&folder, &plan, args.json)?;
        spending::announce(&folder, &plan, budget.as_ref(), args, &unfinished_cells);
        return Ok(worse(worst, Outcome::Incomplete));
    }
    conclude(&folder, &plan, args.json)?;
    terminal::note(&format!("sweep: {}", folder.display()));
    advise(&folder, &plan, &failed, args)?;
    Ok(worst)
}

/// Warns if the budget of a sweep is below the minimum expense of all cells.
fn warn_of_shortfall(plan: &Plan) -> Result<(), Error> {
    let caps = Caps::from(plan.budget.budget());
    // A race usually stops before all samples are run.
    if caps.is_empty() || plan.race.is_some() {
        return Ok(());
    }
    let mut least = Sum::NOTHING;
    for cell in &plan.cells {
        let settings = RunSettings::resolve(&cell.flags)?.settings;
        if let Some(of_cell) = run::least(&settings)? {
            least = least.plus(of_cell);
        }
    }
    if let Some(warning) = least.shortfall(caps, "the sweep's ") {
        terminal::warning(&warning);
    }
    Ok(())
}

/// Returns advice with the command that resumes the sweep with the additional flags `more`.
fn resume_advice(folder: &Path, plan: &Plan, args: &SweepArgs, more: &str) -> String {
    let again = match flags_to_repeat(folder, plan, args) {
        again if again.is_empty() => again,
        again => format!(" --{again}"),
    };
    format!(
        "continue with `rlm-eval sweep --resume {}{more}{again}`",
        quoted(folder)
    )
}

/// Returns the flags to repeat after `--` when resuming the sweep, each preceded by a space.
fn flags_to_repeat(folder: &Path, plan: &Plan, args: &SweepArgs) -> String {
    let mut all = Vec::new();
    for cell in &plan.cells {
        let flags = match &args.resume {
            Some(_) => of_cell(&folder.join(&cell.name), args)
                .and_then(|args| Ok(args.over(cell.flags.clone())?)),
            None => Ok(cell.flags.clone()),
        };
        // The settings were valid when the sweep started.
        let settings = flags.and_then(|flags| Ok(RunSettings::resolve(&flags)?.settings));
        for flag in settings.map_or_else(|_| Vec::new(), |settings| settings.flags_to_repeat()) {
            if !all.contains(&flag) {
                all.push(flag);
            }
        }
    }
    all.iter().map(|flag| format!(" {flag}")).collect()
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

/// Returns the flags for resuming a cell: those recorded in its folder, overridden by those after
/// `--`.
fn of_cell(dir: &Path, args: &SweepArgs) -> Result<ResumeArgs, Error> {
    let (retry, change) = (args.retry_errors, args.allow_program_change);
    // When a sweep starts, the arguments after `--` are part of its plan.
    let typed = match &args.resume {
        Some(_) => args.run.as_slice(),
        None => &[],
    };
    Ok(ResumeArgs::of_folder(dir, retry, change, typed)?)
}

/// Rejects recorded paths and addresses that the command line does not confirm.
fn check_places(folder: &Path, plan: &Plan, args: &SweepArgs) -> Result<(), Error> {
    let mut places = Vec::new();
    for cell in &plan.cells {
        let dir = folder.join(&cell.name);
        let flags = if RunDir::is_begun(&dir) {
            let (_, mut config) = read_config(&dir)?;
            config["flags"].take()
        } else {
            json!(cell.flags)
        };
        let wrong = |problem| SweepError::Flags {
            cell: cell.name.clone(),
            problem,
        };
        for place in of_cell(&dir, args)?.unconfirmed(&flags).map_err(wrong)? {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let command = format!("sweep --resume {} --", quoted(folder));
    Ok(settings::check_places(folder, &places, &command)?)
}

/// Checks that a cell can be started or resumed. It is called for every cell before the first one
/// spends money.
fn check_cell(folder: &Path, cell: &Cell, args: &SweepArgs) -> Result<(), Error> {
    let dir = folder.join(&cell.name);
    if RunDir::is_begun(&dir) {
        return run::check_resume(&of_cell(&dir, args)?);
    }
    let args = of_cell(&dir, args)?;
    let settings = RunSettings::resolve(&args.over(cell.flags.clone())?)?.settings;
    let command = format!("sweep --resume {} --", quoted(folder));
    settings.check_addresses(folder, args.base_url.as_deref(), &command)?;
    run::matching(&settings).map(drop)
}

/// Starts or resumes the run of a cell on the given samples, or on all samples that its flags
/// select.
fn run_cell(
    folder: &Path,
    plan: &Plan,
    cell: &Cell,
    samples: Option<&[String]>,
    args: &SweepArgs,
    run_context: &RunContext,
) -> Result<Outcome, Error> {
    let dir = folder.join(&cell.name);
    if RunDir::is_begun(&dir) {
        let mut args = if args.resume.is_some() {
            of_cell(&dir, args)?
        } else {
            // This start created the cell, so the user has typed every path and address in its
            // folder.
            let given = RunSettings::resolve(&cell.flags)?
                .settings
                .flags_to_repeat();
            let words = shlex::split(&given.join(" ")).unwrap_or_default();
            let (retry, change) = (args.retry_errors, args.allow_program_change);
            ResumeArgs::of_folder(&dir, retry, change, &words)?
        };
        args.samples = samples.map(<[String]>::to_vec);
        return run::resume(&args, run_context);
    }
    RunDir::clear_unbegun(&dir)?;
    let mut flags = cell.flags.clone();
    let resumed = match &args.resume {
        Some(_) => Some(of_cell(&dir, args)?),
        None => None,
    };
    if let Some(args) = &resumed {
        flags = args.over(flags)?;
    }
    if let Some(samples) = samples {
        flags.select_only(samples);
    }
    // The notes and warnings were printed when the sweep started.
    let settings = RunSettings::resolve(&flags)?.settings;
    if let Some(args) = &resumed {
        let command = format!("sweep --resume {} --", quoted(folder));
        settings.check_addresses(folder, args.base_url.as_deref(), &command)?;
    }
    run::begin(&settings, Some((&dir, plan.run_id(cell))), run_context)
}

/// Compares the finished attempts of a stopped sweep, if every cell has at least one.
fn compare_finished(folder: &Path, plan: &Plan, json: bool) -> Result<(), Error> {
    for cell in &plan.cells {
        let dir = folder.join(&cell.name);
        if !RunDir::is_begun(&dir) || RunDir::open(&dir)?.records.is_empty() {
            return Ok(());
        }
    }
    conclude(folder, plan, json)
}

/// Prints the differences, scores and comparisons of the cells, and writes them as a page and as
/// CSV.
fn conclude(folder: &Path, plan: &Plan, json: bool) -> Result<(), Error> {
    let report = report::read(&Found::of_sweep(folder, plan)?, None)?;
    report::write(&report, &folder.join(report::PAGE))?;
    let Some(SweepReport {
        comparison, race, ..
    }) = report.sweeps.first()
    else {
        return Ok(());
    };
    if let Some(race) = race {
        // The p values of the comparison assume runs that were not stopped early because of their
        // scores.
        if json {
            return stdout::write_json(race);
        }
        return stdout::write_table(|width| conclusion(&report, width));
    }
    compare::write_csv(comparison, &folder.join("comparison.csv"), write_whole)?;
    if json {
        stdout::write_json(comparison)?;
    } else {
        stdout::write_table(|width| conclusion(&report, width))?;
    }
    let digests = comparison.runs.iter();
    let digests: BTreeSet<_> = digests
        .filter_map(|run| run.facts.get("dataset_digest"))
        .collect();
    if digests.len() > 1 {
        terminal::warning(
            "the cells ran on different data, so their scores are not comparable: dataset_digest \
             differs",
        );
    }
    if comparison.comparisons.is_empty() {
        terminal::note("the sweep contains only the baseline, so there is nothing to compare");
    }
    Ok(())
}

fn default_folder() -> PathBuf {
    let now = Timestamp::now().strftime("%Y%m%d-%H%M%S");
    Path::new("results").join(format!("sweep-{now}"))
}

fn quoted(path: &Path) -> String {
    invocation::quoted(&path.display().to_string())
}

fn worse(one: Outcome, other: Outcome) -> Outcome {
    let rank = |outcome: Outcome| match outcome {
        Outcome::Complete => 0,
        Outcome::GateFailed => 1,
        Outcome::NothingMatched => 2,
        Outcome::Incomplete => 3,
        Outcome::InfrastructureFailed => 4,
        Outcome::Faulty => 5,
        Outcome::Interrupted => 6,
    };
    if rank(other) > rank(one) { other } else { one }
}
