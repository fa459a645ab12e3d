//! `eval report`: runs side by side, as tables and as a page with plots.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::stdout;
use crate::cli::ReportArgs;
use crate::error::Error;
use crate::exit::Outcome;
use crate::report::{RunReport, html, reports, text};
use crate::run_dir::{RunDir, write_whole};
use crate::terminal;

/// Prints tables of the runs, made from their records and trajectories: also of runs that never came to their end.
///
/// # Errors
/// [`Error::RunDir`] for a folder that holds no run or a page that cannot be written, or [`Error::Stdout`].
pub(super) fn execute(args: &ReportArgs) -> Result<Outcome, Error> {
    let reports = read(&args.dirs)?;
    if args.json {
        let object = |run: &RunReport| {
            json!({
                "run": run.identity,
                "summary": run.summary,
                "spent": run.summary.spent(),
                "behaviour": run.behaviour,
                "groupings": run.groupings,
            })
        };
        let objects: Vec<_> = reports.iter().map(object).collect();
        stdout::write_json(&objects)?;
    } else {
        stdout::write(&text(&reports))?;
    }
    let page = match (&args.html, args.dirs.first()) {
        (Some(file), _) => file.clone(),
        (None, Some(dir)) if !args.json => dir.join(PAGE),
        (None, _) => return Ok(Outcome::Complete),
    };
    match write(&reports, &page) {
        // Runs in a folder that is only read can be looked at like any other.
        Err(Error::RunDir(error)) if args.html.is_none() => {
            terminal::warning(&format!("no page with plots: {error}"));
        }
        written => written?,
    }
    Ok(Outcome::Complete)
}

/// Says of a run that a process still works on that its figures are not its last.
pub(super) fn tell_if_at_work(run: &RunDir) {
    if run.is_running() {
        terminal::note(&format!(
            "{} is still at work: {} of {} attempts so far",
            run.path.display(),
            run.records.len(),
            run.attempts_total()
        ));
    }
}

/// The page's name where none was given.
const PAGE: &str = "report.html";

/// Writes a page of these runs.
///
/// # Errors
/// [`Error`] for a run that cannot be read, and for a page that cannot be made or written.
pub(super) fn write_page(dirs: &[PathBuf], page: &Path) -> Result<(), Error> {
    write(&read(dirs)?, page)
}

fn write(reports: &[RunReport], page: &Path) -> Result<(), Error> {
    write_whole(page, html(reports)?.as_bytes())?;
    terminal::note(&format!("report: {}", page.display()));
    Ok(())
}

fn read(dirs: &[PathBuf]) -> Result<Vec<RunReport>, Error> {
    let mut runs = Vec::new();
    for dir in dirs {
        let run = RunDir::open(dir)?;
        tell_if_at_work(&run);
        if let Some(torn) = &run.torn {
            terminal::note(&format!(
                "{}: line {} of samples.jsonl was never written to its end and is left out",
                dir.display(),
                torn.line
            ));
        }
        runs.push(run);
    }
    Ok(reports(&runs)?)
}
