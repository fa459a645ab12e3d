//! Settings of what may be spent.

use std::fs;
use std::path::Path;

use harness::provider::PriceTable;
use harness::{Budget, Budgets};

use super::SettingsError;
use super::model_ref;
use crate::cli::{BudgetArgs, ScoreArgs};

/// What may be spent, and by which prices.
#[derive(Debug, Clone)]
pub struct BudgetSettings {
    /// Of the run and of each attempt.
    pub budgets: Budgets,
    /// The user's prices before the bundled ones.
    pub prices: PriceTable,
}

impl BudgetSettings {
    /// The first flag that limits what may be spent in all, if there is one.
    pub fn flag(&self) -> Option<&'static str> {
        let run = &self.budgets.run;
        let limits = [
            (run.cost_usd.is_some(), "--max-cost"),
            (run.tokens.is_some(), "--max-tokens"),
            (run.calls.is_some(), "--max-llm-calls"),
        ];
        let mut limits = limits.into_iter();
        limits.find_map(|(is_given, flag)| is_given.then_some(flag))
    }

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

/// The budgets, and the prices as read.
///
/// # Errors
/// A [`SettingsError`] for a file that is no table of prices.
pub(super) fn resolve(args: &BudgetArgs) -> Result<BudgetSettings, SettingsError> {
    Ok(BudgetSettings {
        budgets: args.budgets(),
        prices: prices(args.prices.as_deref())?,
    })
}

/// What a judge may use that is asked about the answers of a run, and its prices. `judge` is its model, if there is one.
///
/// # Errors
/// A [`SettingsError`] for a file of prices that cannot be read, or a budget of money of a model
/// without a price.
pub(super) fn of_scoring(
    args: &ScoreArgs,
    judge: Option<&str>,
) -> Result<BudgetSettings, SettingsError> {
    let run = Budget {
        cost_usd: args.max_cost,
        tokens: args.max_tokens,
        calls: args.max_llm_calls,
        time: None,
    };
    let budget = BudgetSettings {
        budgets: Budgets {
            run,
            attempt: Budget::default(),
        },
        prices: prices(args.prices.as_deref())?,
    };
    budget.check_prices(judge)?;
    Ok(budget)
}

/// The prices of a file, if there is one, before the bundled ones.
///
/// # Errors
/// [`SettingsError::Read`] or [`SettingsError::Prices`].
fn prices(file: Option<&Path>) -> Result<PriceTable, SettingsError> {
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
