//! `eval sweep`: every cell of a matrix as a run, and one comparison at the end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::run::{self, Show};
use super::{compare, report, stdout};
use crate::cli::{ResumeArgs, SweepArgs};
use crate::compare::Against;
use crate::error::Error;
use crate::exit::Outcome;
use crate::run_dir::RunDir;
use crate::settings::{CompareSettings, Matrix, RunSettings};
use crate::summary::{Summary, table};
use crate::sweep::{Cell, Plan};
use crate::terminal;

/// Begins a sweep, or goes on with one.
///
/// # Errors
/// [`Error`] for settings that are wrong in any cell, before the first begins, and for infrastructure that fails.
pub(super) fn execute(args: &SweepArgs) -> Result<Outcome, Error> {
    let (folder, plan) = if let Some(folder) = &args.resume {
        (folder.clone(), Plan::read(folder)?)
    } else {
        let mut plan = Plan::of(&Matrix::resolve(args)?)?;
        for skipped in &plan.skipped {
            terminal::note(&format!("skipped {}: {}", skipped.cell, skipped.reason));
        }
        let (mut notes, mut warnings) = (BTreeSet::new(), BTreeSet::new());
        for cell in plan.cells.clone() {
            // Opens what the cell needs, so that what is missing is told before anything runs.
            let mut settings = RunSettings::resolve(&cell.flags)?;
            // What holds for several cells is told once.
            settings.notes.retain(|text| notes.insert(text.clone()));
            settings
                .warnings
                .retain(|text| warnings.insert(text.clone()));
            match run::is_possible(&settings.announce()) {
                Ok(true) => {}
                Ok(false) => return Ok(Outcome::NothingMatched),
                Err(Error::Protocol(unfit)) if plan.cells.len() > 1 => {
                    terminal::note(&format!("skipped {}: {unfit}", cell.name));
                    plan.skip(&cell, unfit.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        let folder = args.out.clone().unwrap_or_else(default_folder);
        plan.create(&folder)?;
        (folder, plan)
    };
    let mut worst = Outcome::Complete;
    let mut failed = BTreeSet::new();
    for (cell, number) in plan.cells.iter().zip(1..) {
        terminal::note(&format!(
            "cell {number} of {}: {}",
            plan.cells.len(),
            cell.name
        ));
        let outcome = carry_on(&folder.join(&cell.name), cell, args.retry_errors)?;
        if outcome == Outcome::Interrupted {
            terminal::note(&format!(
                "go on with `eval sweep --resume {}`",
                run::quoted(&folder)
            ));
            return Ok(outcome);
        }
        if outcome == Outcome::InfrastructureFailed {
            failed.insert(cell.name.as_str());
        }
        worst = worse(worst, outcome);
    }
    conclude(&folder, &plan, args.json)?;
    terminal::note(&format!("sweep: {}", folder.display()));
    advise(&folder, &plan, &failed)?;
    Ok(worst)
}

/// Says how to go on with cells that are not complete; those that `failed` were stopped by errors.
fn advise(folder: &Path, plan: &Plan, failed: &BTreeSet<&str>) -> Result<(), Error> {
    let mut stopped = Vec::new();
    let mut lacks_scores = false;
    for Cell { name, .. } in &plan.cells {
        let run = RunDir::open(&folder.join(name))?;
        let is_whole = run.records.len() as u64 >= run.attempts_total();
        if !is_whole && !failed.contains(name.as_str()) {
            stopped.push(name.as_str());
        }
        lacks_scores |= run.records.iter().any(|record| record.score.is_none());
    }
    if let Some(cell) = stopped.first() {
        terminal::note(&format!(
            "{} not finished: {}; with a higher budget go on with `eval run --resume {} --max-cost …` or the like, then \
             with `eval sweep --resume {}`",
            if stopped.len() == 1 {
                "1 cell is".to_owned()
            } else {
                format!("{} cells are", stopped.len())
            },
            stopped.join(", "),
            run::quoted(&folder.join(cell)),
            run::quoted(folder)
        ));
    }
    if lacks_scores {
        terminal::note(&format!(
            "not every attempt has a score; go on with `eval sweep --resume {} --retry-errors`",
            run::quoted(folder)
        ));
    }
    Ok(())
}

/// Begins the run of a cell, or goes on with it.
fn carry_on(dir: &Path, cell: &Cell, retry_errors: bool) -> Result<Outcome, Error> {
    if RunDir::is_begun(dir) {
        let args = ResumeArgs::of_folder(dir, retry_errors)?;
        return run::resume(&args, Show::Nothing);
    }
    RunDir::clear_unbegun(dir)?;
    // What there is to tell of it was told when the sweep began.
    let settings = RunSettings::resolve(&cell.flags)?.settings;
    run::begin(&settings, Some(dir), Show::Nothing)
}

/// The scores side by side, the page, and the comparison of each cell with the baseline of its model.
fn conclude(folder: &Path, plan: &Plan, json: bool) -> Result<(), Error> {
    let dirs: Vec<PathBuf> = plan
        .cells
        .iter()
        .map(|cell| folder.join(&cell.name))
        .collect();
    report::write_page(&dirs, &folder.join("report.html"))?;
    if !json {
        let mut runs = Vec::new();
        for (dir, cell) in dirs.iter().zip(&plan.cells) {
            let run = RunDir::open(dir)?;
            let summary = Summary::new(&run.records, run.attempts_total());
            runs.push((cell.name.as_str(), summary.with_wasted(run.wasted)));
        }
        let columns: Vec<(&str, &Summary)> = runs
            .iter()
            .map(|(name, summary)| (*name, summary))
            .collect();
        stdout::write(&(table(&columns) + "\n"))?;
    }
    if dirs.len() < 2 {
        terminal::note("there is nothing to compare the baseline with");
        return Ok(());
    }
    compare::carry_out(&CompareSettings {
        runs: dirs,
        against: Against::Baseline(plan.baselines()),
        allow_mismatch: false,
        csv: Some(folder.join("comparison.csv")),
        json,
    })?;
    Ok(())
}

fn default_folder() -> PathBuf {
    let now = Timestamp::now().strftime("%Y%m%d-%H%M%S");
    Path::new("results").join(format!("sweep-{now}"))
}

/// The outcome of a sweep of which one cell ended so and another so.
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
