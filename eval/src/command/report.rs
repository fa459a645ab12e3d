//! `rlm-eval report`: shows runs side by side, as tables and as a page with plots.

mod settings;

use std::path::Path;

use records::run_dir::{RunDir, RunDirError, write_output, write_whole};
use report::{Report, RunReport, SweepReport, html, text};
use serde_json::{Value, json};

use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::folders::{Found, folders_among};
use crate::process::terminal;

pub(crate) use settings::ReportArgs;

/// Version of the JSON printed by `--json`, stored as `v`.
const REPORT_VERSION: u32 = 3;

/// Prints tables of runs, including incomplete ones, and writes a page with plots.
///
/// # Errors
/// [`Error::Folder`] for a folder without runs, [`Error::RunDir`] for a run that cannot be read or
/// a page that cannot be written, or [`Error::Stdout`].
pub(super) fn execute(args: &ReportArgs) -> Result<Outcome, Error> {
    let dirs = folders_among(&args.dirs);
    let found = Found::below(&dirs)?;
    for left_out in &found.left_out {
        terminal::note(left_out);
    }
    let report = read(&found, args.scores.as_deref())?;
    if args.json {
        stdout::write_json(&json(&report))?;
    } else {
        stdout::write_table(|width| text(&report, width))?;
    }
    let page = match (&args.html, dirs.first()) {
        (Some(file), _) => file.clone(),
        (None, Some(dir)) if !args.json => dir.join(match &args.scores {
            Some(scorer) => format!("report-{}.html", scorer.replace(['/', '\\'], "-")),
            None => PAGE.to_owned(),
        }),
        (None, _) => return Ok(Outcome::Complete),
    };
    let written = match &args.html {
        Some(_) => write_page(&report, &page, write_output),
        None => write(&report, &page),
    };
    match written {
        // Runs in a read-only folder are shown without a page.
        Err(Error::RunDir(error)) if args.html.is_none() => {
            terminal::warning(&format!("the page with plots was not written: {error}"));
        }
        written => written?,
    }
    Ok(Outcome::Complete)
}

fn json(report: &Report) -> Value {
    let run = |run: &RunReport| {
        json!({
            "name": run.name,
            "label": run.label,
            "run": run.identity,
            "started": run.started,
            "race": run.race.as_ref().map(|race| race.to_string_lossy()),
            "prices": run.prices,
            "summary": run.summary,
            "spent": run.summary.spent(),
            "cost_per_right_answer": run.summary.cost_per_right_answer().ok(),
            "behaviour": run.behaviour,
            "groupings": run.groupings,
        })
    };
    let sweep = |sweep: &SweepReport| {
        json!({
            "folder": sweep.folder.to_string_lossy(),
            "not_begun": sweep.not_begun,
            "race": sweep.race,
            // The p values of a comparison are invalid for cells that a race stopped.
            "comparison": sweep.race.is_none().then_some(&sweep.comparison),
        })
    };
    json!({
        "v": REPORT_VERSION,
        "differences": report.differences,
        "scorers": report.scorers(report.names()),
        "runs": report.runs.iter().map(run).collect::<Vec<_>>(),
        "sweeps": report.sweeps.iter().map(sweep).collect::<Vec<_>>(),
    })
}

/// Prints a note if the run is still in progress, because its figures are then preliminary.
pub(super) fn note_if_running(run: &RunDir) {
    if run.is_running() {
        terminal::note(&format!(
            "{} is still running: {} of {} attempts so far",
            run.path.display(),
            run.records.len(),
            run.attempts_total()
        ));
    }
}

/// Function that writes bytes to a file.
pub(super) type WriteFile = fn(&Path, &[u8]) -> Result<(), RunDirError>;

/// Default file name of the page.
pub(super) const PAGE: &str = "report.html";

/// Writes the HTML page of a report.
///
/// # Errors
/// [`Error`] if the page cannot be made or written.
pub(super) fn write(report: &Report, page: &Path) -> Result<(), Error> {
    write_page(report, page, write_whole)
}

fn write_page(report: &Report, page: &Path, write: WriteFile) -> Result<(), Error> {
    write(
        page,
        html(report, page.parent().unwrap_or(Path::new("")))?.as_bytes(),
    )?;
    terminal::note(&format!("report: {}", page.display()));
    Ok(())
}

/// Reads the runs in `found`. If the scorer `scores` is given, its scores replace the recorded
/// ones.
///
/// # Errors
/// [`Error::RunDir`] for a run that cannot be read.
pub(super) fn read(found: &Found, scores: Option<&str>) -> Result<Report, Error> {
    let mut runs = Vec::new();
    for dir in &found.runs {
        let mut run = RunDir::open(dir)?;
        if let Some(scorer) = scores {
            run = run.with_scores(scorer)?;
        }
        note_if_running(&run);
        if let Some(truncated_record) = &run.truncated_record {
            terminal::note(&format!(
                "{}: line {} of samples.jsonl is truncated and was skipped",
                dir.display(),
                truncated_record.line
            ));
        }
        runs.push(run);
    }
    Ok(Report::of(&runs, &found.sweeps)?)
}
