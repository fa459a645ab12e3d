//! `rlm-eval report`: runs side by side, as tables and as a page with plots.

use std::path::Path;

use records::run_dir::{RunDir, write_whole};
use report::{Report, RunReport, SweepReport, html, text};
use serde_json::{Value, json};

use super::stdout;
use crate::cli::ReportArgs;
use crate::error::Error;
use crate::exit::Outcome;
use crate::folders::Found;
use crate::terminal;

/// Version of the JSON that `--json` prints; it carries it as `v`.
const REPORT_VERSION: u32 = 2;

/// Prints tables of the runs, made from their records and trajectories: also of runs that never came to their end.
///
/// # Errors
/// [`Error::Folder`] for a folder that holds nothing to report, [`Error::RunDir`] for a run that cannot be read or a page
/// that cannot be written, or [`Error::Stdout`].
pub(super) fn execute(args: &ReportArgs) -> Result<Outcome, Error> {
    let found = Found::below(&args.dirs)?;
    for left_out in &found.left_out {
        terminal::note(left_out);
    }
    let report = read(&found)?;
    if args.json {
        stdout::write_json(&json(&report))?;
    } else {
        stdout::write_table(|width| text(&report, width))?;
    }
    let page = match (&args.html, args.dirs.first()) {
        (Some(file), _) => file.clone(),
        (None, Some(dir)) if !args.json => dir.join(PAGE),
        (None, _) => return Ok(Outcome::Complete),
    };
    match write(&report, &page) {
        // Runs in a folder that is only read can be looked at like any other.
        Err(Error::RunDir(error)) if args.html.is_none() => {
            terminal::warning(&format!("no page with plots: {error}"));
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
            "comparison": sweep.comparison,
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

/// Says of a run that a process still works on that its figures are not its last.
pub(super) fn note_if_running(run: &RunDir) {
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
pub(super) const PAGE: &str = "report.html";

/// Writes the page of a report.
///
/// # Errors
/// [`Error`] for a page that cannot be made or written.
pub(super) fn write(report: &Report, page: &Path) -> Result<(), Error> {
    write_whole(
        page,
        html(report, page.parent().unwrap_or(Path::new("")))?.as_bytes(),
    )?;
    terminal::note(&format!("report: {}", page.display()));
    Ok(())
}

/// Reads the runs that were found.
///
/// # Errors
/// [`Error::RunDir`] for a run that cannot be read.
pub(super) fn read(found: &Found) -> Result<Report, Error> {
    let mut runs = Vec::new();
    for dir in &found.runs {
        let run = RunDir::open(dir)?;
        note_if_running(&run);
        if let Some(truncated_record) = &run.truncated_record {
            terminal::note(&format!(
                "{}: line {} of samples.jsonl was never written to its end and is left out",
                dir.display(),
                truncated_record.line
            ));
        }
        runs.push(run);
    }
    Ok(Report::of(&runs, &found.sweeps)?)
}
