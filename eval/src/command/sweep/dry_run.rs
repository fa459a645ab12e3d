//! `rlm-eval sweep --dry-run`: estimates the expense of each cell and of all cells together. Does
//! not run agents or write files.

use harness::SharedBudget;
use serde_json::{Map, Value, json};

use crate::command::run;
use crate::command::run::dry_run::estimate_run;
use crate::command::run::expense::{Expense, Sum, basis};
use crate::command::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::terminal;
use crate::settings::RunSettings;
use crate::sweep::{Plan, SweepArgs};

/// Prints the estimated expense of the cells of a plan.
///
/// # Errors
/// [`Error`] for a cell with unusable settings or an unavailable sample.
pub(super) fn execute(plan: &Plan, args: &SweepArgs) -> Result<Outcome, Error> {
    if let Some(samples) = args.estimate.pilot {
        let is_limited = !plan.budget.is_unlimited();
        let budget = is_limited.then(|| SharedBudget::new(plan.budget.budget()));
        for cell in &plan.cells {
            let stopped = run::pilot(&cell.flags, samples, budget.clone())?;
            if stopped != Outcome::Complete {
                if let Some(error) = budget.as_ref().and_then(SharedBudget::exhausted) {
                    terminal::note(&format!("the pilots were stopped: {error}"));
                }
                return Ok(stopped);
            }
        }
    }
    let race_samples = plan.race.as_ref().map(|race| race.order.concat());
    // Every cell runs the first block of a race and may stop after it.
    let first_block = plan.race.as_ref().and_then(|race| {
        let blocks = race.blocks();
        let sizes = blocks.first()?.iter().map(Vec::len);
        Some(sizes.sum::<usize>())
    });
    let mut cells = Vec::new();
    // `None` if a cell has no earlier run.
    let mut likely_in_all = Some(Sum::NOTHING);
    let mut all: Option<Expense> = None;
    // The assumptions are the same for all cells, because they depend only on shared flags.
    let mut by = String::new();
    for cell in &plan.cells {
        let mut flags = cell.flags.clone();
        if let Some(samples) = &race_samples {
            flags.select_only(samples);
        }
        let mut settings = RunSettings::resolve(&flags)?.settings;
        settings.engine.store.cache = None;
        by = basis(&settings);
        let Some((expense, likely)) = estimate_run(&settings, first_block)? else {
            return Ok(Outcome::NothingMatched);
        };
        let sums = likely_in_all.zip(likely.as_ref());
        likely_in_all = sums.map(|(sum, likely)| sum.plus(likely.sum));
        all = Some(match all {
            Some(all) => all.plus(expense.clone()),
            None => expense.clone(),
        });
        cells.push((cell.name.as_str(), expense, likely));
    }
    let Some(all) = all else {
        return Ok(Outcome::NothingMatched);
    };
    let all = all.under(plan.budget.budget());
    if args.json {
        let cells: Map<String, Value> = cells
            .iter()
            .map(|(name, expense, likely)| {
                let mut cell = json!(expense);
                cell["likely"] = json!(likely);
                ((*name).to_owned(), cell)
            })
            .collect();
        let mut all = json!(all);
        all["likely"] = json!(likely_in_all);
        stdout::write_json(&json!({"cells": cells, "all": all}))?;
        return Ok(Outcome::Complete);
    }
    let mut text = String::new();
    for (name, expense, likely) in &cells {
        text.push_str(&format!("{name}\n{}", indented(&expense.lines())));
        if let Some(likely) = likely {
            text.push_str(&indented(&likely.to_string()));
        }
    }
    let count = cells.len();
    let likely = likely_in_all.map_or_else(String::new, |sum| format!("  likely: {sum}\n"));
    text.push_str(&format!(
        "all {count} cells\n{}{likely}{by}\n",
        indented(&all.lines())
    ));
    stdout::write(&text)?;
    Ok(Outcome::Complete)
}

fn indented(lines: &str) -> String {
    lines.lines().map(|line| format!("  {line}\n")).collect()
}
