//! Prints and writes the results of a sweep.

use std::collections::BTreeSet;
use std::path::Path;

use ::report::{SweepReport, conclusion};
use records::run_dir::{RunDir, write_whole};

use crate::command::{compare, report, stdout};
use crate::error::Error;
use crate::folders::Found;
use crate::process::terminal;
use crate::sweep::Plan;

/// Compares the finished attempts of a stopped sweep, if every cell has at least one.
pub(super) fn compare_finished(folder: &Path, plan: &Plan, json: bool) -> Result<(), Error> {
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
pub(super) fn conclude(folder: &Path, plan: &Plan, json: bool) -> Result<(), Error> {
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
