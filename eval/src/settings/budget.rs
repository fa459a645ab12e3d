//! Settings of what may be spent.

use std::fs;
use std::path::Path;

use harness::provider::PriceTable;
use harness::{Budget, Budgets};

use super::SettingsError;
use super::bounds::{seconds, within};
use super::model_ref;
use crate::cli::{BudgetArgs, SweepBudgetArgs};

/// What may be spent, and by which prices.
#[derive(Debug, Clone)]
pub struct BudgetSettings {
    /// Of the run and of each attempt.
    pub budgets: Budgets,
    /// The user's prices before the bundled ones.
    pub prices: PriceTable,
}

impl BudgetSettings {
    /// Checks that a budget of money can be kept.
    ///
    /// # Errors
    /// [`SettingsError::Unpriced`] for the first model whose calls would count as free.
    pub(super) fn check_prices<'a>(
        &self,
        references: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), SettingsError> {
        let flag = match (self.budgets.run.cost_usd, self.budgets.attempt.cost_usd) {
            (Some(_), _) => "--max-cost",
            (None, Some(_)) => "--attempt-max-cost",
            (None, None) => return Ok(()),
        };
        // OpenRouter says with each response what it has charged; scripted and replayed models cost what their files say.
        let unpriced = references.into_iter().find(|reference| {
            let server =
                model_ref::http(reference).is_some_and(|(prefix, _)| prefix != "openrouter");
            server && !self.prices.knows(reference)
        });
        match unpriced {
            Some(reference) => Err(SettingsError::Unpriced {
                flag,
                reference: reference.to_owned(),
            }),
            None => Ok(()),
        }
    }
}

/// Checks the budgets and reads the prices.
///
/// # Errors
/// A [`SettingsError`] for the first flag that is wrong.
pub(super) fn resolve(args: &BudgetArgs) -> Result<BudgetSettings, SettingsError> {
    let run = Budget {
        cost_usd: dollars("--max-cost", args.max_cost)?,
        tokens: number("--max-tokens", args.max_tokens)?,
        calls: number("--max-llm-calls", args.max_llm_calls)?,
        time: args
            .time_limit
            .map(|time| seconds("--time-limit", time))
            .transpose()?,
    };
    let attempt = Budget {
        cost_usd: dollars("--attempt-max-cost", args.attempt_max_cost)?,
        tokens: number("--attempt-max-tokens", args.attempt_max_tokens)?,
        calls: number("--attempt-max-llm-calls", args.attempt_max_llm_calls)?,
        time: None,
    };
    let prices = prices(args.prices.as_deref())?;
    Ok(BudgetSettings {
        budgets: Budgets { run, attempt },
        prices,
    })
}

/// What all cells of a sweep may use together.
///
/// # Errors
/// [`SettingsError`] for a limit that is out of bounds.
pub fn of_sweep(args: &SweepBudgetArgs) -> Result<Budget, SettingsError> {
    Ok(Budget {
        cost_usd: dollars("--max-cost", args.max_cost)?,
        tokens: number("--max-tokens", args.max_tokens)?,
        calls: number("--max-llm-calls", args.max_llm_calls)?,
        time: args
            .time_limit
            .map(|time| seconds("--time-limit", time))
            .transpose()?,
    })
}

/// The prices of a file, if there is one, before the bundled ones.
///
/// # Errors
/// [`SettingsError::Read`] or [`SettingsError::Prices`].
pub(super) fn prices(file: Option<&Path>) -> Result<PriceTable, SettingsError> {
    let bundled = PriceTable::bundled().map_err(SettingsError::Prices)?;
    Ok(match file {
        Some(file) => own_prices(file)?.or(bundled),
        None => bundled,
    })
}

fn own_prices(file: &Path) -> Result<PriceTable, SettingsError> {
    let text = fs::read_to_string(file).map_err(|source| SettingsError::Read {
        path: file.to_owned(),
        source,
    })?;
    PriceTable::parse(&file.display().to_string(), &text).map_err(SettingsError::Prices)
}

/// From a hundredth of a cent to a million.
fn dollars(flag: &'static str, value: Option<f64>) -> Result<Option<f64>, SettingsError> {
    value
        .map(|value| within(flag, value, &(0.0001..=1_000_000.0)))
        .transpose()
}

fn number(flag: &'static str, value: Option<u64>) -> Result<Option<u64>, SettingsError> {
    value
        .map(|value| within(flag, value, &(1..=1_000_000_000_000)))
        .transpose()
}
