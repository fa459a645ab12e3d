//! Starts and resumes the cells of a sweep.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use harness::model::Status;
use records::run_dir::{RunDir, read_config};
use serde_json::json;

use crate::command::run::{self, AttemptStart, RunContext, attempt_start};
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::invocation;
use crate::settings::{self, ResumeArgs, RunSettings};
use crate::sweep::{Cell, Plan, SweepArgs, SweepError};

/// Returns the flags for resuming a cell: those recorded in its folder, overridden by those after
/// `--`.
fn of_cell(dir: &Path, args: &SweepArgs) -> Result<ResumeArgs, Error> {
    // When a sweep starts, the arguments after `--` are part of its plan.
    let typed = match &args.resume {
        Some(_) => args.run.as_slice(),
        None => &[],
    };
    Ok(ResumeArgs::of_cell(dir, args.policy, typed)?)
}

/// Rejects recorded paths and addresses that the command line does not confirm.
pub(super) fn check_places(folder: &Path, plan: &Plan, args: &SweepArgs) -> Result<(), Error> {
    let mut places = Vec::new();
    for cell in &plan.cells {
        let dir = folder.join(&cell.name);
        let flags = if RunDir::is_begun(&dir) {
            let (_, mut config) = read_config(&dir)?;
            config["flags"].take()
        } else {
            json!(cell.flags)
        };
        let wrong =
            |problem: String| SweepError::Invalid(format!("cell `{}`: {problem}", cell.name));
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
pub(super) fn check_cell(folder: &Path, cell: &Cell, args: &SweepArgs) -> Result<(), Error> {
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

/// Returns the attempts to rerun because of `--retry-errors`, by the name of the cell.
///
/// # Errors
/// [`Error`] if a cell's folder cannot be read.
pub(super) fn failed_attempts(
    folder: &Path,
    plan: &Plan,
    args: &SweepArgs,
) -> Result<BTreeMap<String, BTreeSet<AttemptStart>>, Error> {
    let mut failed = BTreeMap::new();
    for cell in &plan.cells {
        let dir = folder.join(&cell.name);
        if args.policy.retry_errors && RunDir::is_begun(&dir) {
            let records = RunDir::open(&dir)?.records;
            let errors = records
                .iter()
                .filter(|record| record.status == Status::Error);
            failed.insert(cell.name.clone(), errors.map(attempt_start).collect());
        }
    }
    Ok(failed)
}

/// Starts or resumes the run of a cell on the given samples, or on all samples that its flags
/// select.
pub(super) fn run_cell(
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
            ResumeArgs::of_cell(&dir, args.policy, &words)?
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
    let at = Some((dir.as_path(), plan.run_id(cell)));
    run::start(&settings, at, run_context, None)
}

/// Returns advice with the command that resumes the sweep with the additional flags `more`.
pub(super) fn resume_advice(folder: &Path, plan: &Plan, args: &SweepArgs, more: &str) -> String {
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
pub(super) fn flags_to_repeat(folder: &Path, plan: &Plan, args: &SweepArgs) -> String {
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

pub(super) fn quoted(path: &Path) -> String {
    invocation::quoted(&path.display().to_string())
}
