//! `rlm-eval sweep --dry-run`: estimates the expense of each cell and of all cells together. Runs
//! and writes nothing.

use serde_json::{Map, Value, json};

use crate::command::run::dry_run::of_run;
use crate::command::run::expense::{Caps, Expense, basis};
use crate::command::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::settings::RunSettings;
use crate::sweep::Plan;

/// Prints the estimated expense of the cells of a plan.
///
/// # Errors
/// [`Error`] for a cell with unusable settings or an unavailable sample.
pub(super) fn execute(plan: &Plan, json: bool) -> Result<Outcome, Error> {
    let mut cells = Vec::new();
    let mut all: Option<Expense> = None;
    // Equal for all cells, because it depends only on flags that they share.
    let mut by = String::new();
    for cell in &plan.cells {
        let mut settings = RunSettings::resolve(&cell.flags)?.settings;
        settings.engine.store.cache = None;
        by = basis(&settings);
        let Some(expense) = of_run(&settings)? else {
            return Ok(Outcome::NothingMatched);
        };
        all = Some(match all {
            Some(all) => all.plus(expense.clone()),
            None => expense.clone(),
        });
        cells.push((cell.name.as_str(), expense));
    }
    let Some(all) = all else {
        return Ok(Outcome::NothingMatched);
    };
    let all = all.under(Caps {
        cost_usd: plan.budget.max_cost,
        tokens: plan.budget.max_tokens,
        calls: plan.budget.max_llm_calls,
    });
    if json {
        let cells: Map<String, Value> = cells
            .iter()
            .map(|(name, expense)| ((*name).to_owned(), json!(expense)))
            .collect();
        stdout::write_json(&json!({"cells": cells, "all": all}))?;
        return Ok(Outcome::Complete);
    }
    let mut text = String::new();
    for (name, expense) in &cells {
        text.push_str(&format!("{name}\n{}", indented(&expense.lines())));
    }
    let count = cells.len();
    text.push_str(&format!(
        "all {count} cells\n{}{by}\n",
        indented(&all.lines())
    ));
    stdout::write(&text)?;
    Ok(Outcome::Complete)
}

fn indented(lines: &str) -> String {
    lines.lines().map(|line| format!("  {line}\n")).collect()
}
