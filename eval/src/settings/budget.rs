//! Flags of budgets and prices, and their checks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use harness::Budget;
use harness::provider::PriceTable;
use jiff::civil::Date;
use serde::Serialize;

use super::SettingsError;
use super::values::{Seconds, dollars, whole};
use crate::providers::ModelRef;

/// Maximum value of a token or request limit; larger numbers are probably typos.
const HIGHEST_LIMIT: u64 = 1_000_000_000_000;

/// Limits of cost, tokens and requests. The help heading names what they limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args, Serialize)]
pub struct LimitArgs {
    /// Cost limit in US dollars [default: no limit]
    #[arg(long, value_parser = dollars, value_name = "USD")]
    pub max_cost: Option<f64>,

    /// Token limit, input and output together [default: no limit]
    #[arg(long, value_parser = whole::<u64>(1..=HIGHEST_LIMIT), value_name = "N")]
    pub max_tokens: Option<u64>,

    /// Limit of requests to models; a retried request counts once [default: no limit]
    #[arg(long, value_parser = whole::<u64>(1..=HIGHEST_LIMIT), value_name = "N")]
    pub max_llm_calls: Option<u64>,
}

impl LimitArgs {
    /// Returns the limits, with one of time, as a budget.
    pub fn budget(self, time: Option<Seconds>) -> Budget {
        Budget {
            cost_usd: self.max_cost,
            tokens: self.max_tokens,
            calls: self.max_llm_calls,
            time: time.map(|time| *time),
        }
    }
}

/// Budgets of the run and of each attempt.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Budget of the run")]
pub struct BudgetArgs {
    /// Limits of the run.
    #[command(flatten)]
    #[serde(flatten)]
    pub limits: LimitArgs,

    /// Wall time limit of the run in seconds, after which no attempt or model call starts; with
    /// --resume, the time starts from zero [default: no limit]
    #[arg(long, value_name = "SECONDS")]
    pub time_limit: Option<Seconds>,

    /// Cost limit of one attempt, including all its agents, in US dollars [default: no limit]
    #[arg(long, value_parser = dollars, value_name = "USD", help_heading = OF_ATTEMPT)]
    pub attempt_max_cost: Option<f64>,

    /// Token limit of one attempt [default: no limit]
    #[arg(
        long,
        value_parser = whole::<u64>(1..=HIGHEST_LIMIT),
        value_name = "N",
        help_heading = OF_ATTEMPT
    )]
    pub attempt_max_tokens: Option<u64>,

    /// Limit of requests to models for one attempt [default: no limit]
    #[arg(
        long,
        value_parser = whole::<u64>(1..=HIGHEST_LIMIT),
        value_name = "N",
        help_heading = OF_ATTEMPT
    )]
    pub attempt_max_llm_calls: Option<u64>,

    /// YAML file of prices, which take precedence over the bundled ones [default: only the bundled
    /// ones]
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
}

const OF_ATTEMPT: &str = "Budget of one attempt";

impl BudgetArgs {
    /// Returns the budget of the run.
    pub fn of_run(&self) -> Budget {
        self.limits.budget(self.time_limit)
    }

    /// Returns the flag that limits cost, if one is set.
    pub fn of_money(&self) -> Option<&'static str> {
        let of_run = self.limits.max_cost.map(|_| "--max-cost");
        of_run.or(self.attempt_max_cost.map(|_| "--attempt-max-cost"))
    }

    /// Returns the budget of each attempt, without its time limit, which is a flag of the engine.
    pub const fn of_attempt(&self) -> Budget {
        Budget {
            cost_usd: self.attempt_max_cost,
            tokens: self.attempt_max_tokens,
            calls: self.attempt_max_llm_calls,
            time: None,
        }
    }
}

/// Checks that a cost limit can be enforced, if a flag sets one.
///
/// # Errors
/// [`SettingsError`] for the first model without a known price.
pub(crate) fn check_prices<'a>(
    flag: Option<&'static str>,
    prices: &PriceTable,
    references: impl IntoIterator<Item = &'a ModelRef>,
) -> Result<(), SettingsError> {
    let Some(flag) = flag else {
        return Ok(());
    };
    let mut references = references.into_iter();
    let unpriced =
        references.find(|reference| needs_price(reference) && !prices.knows(reference.as_str()));
    match unpriced {
        Some(reference) => Err(SettingsError::with_hint(
            format!("{flag}: unknown price of `{reference}`, so its cost cannot be limited"),
            "add its price with --prices FILE; see docs/reference/models.md for an example",
        )),
        None => Ok(()),
    }
}

/// Whether the cost of a model depends on the price table. The provider `openrouter` reports the
/// charge in each response; scripted and replayed models take it from their files.
fn needs_price(reference: &ModelRef) -> bool {
    reference.on_server().is_some() && reference.provider() != "openrouter"
}

/// Age in days above which a price counts as outdated: half a year.
const CURRENT_DAYS: i32 = 182;

/// Returns a warning that names the models whose prices are outdated on a day, or `None` if no
/// price is.
pub(crate) fn old_prices<'a>(
    prices: &PriceTable,
    references: impl IntoIterator<Item = &'a ModelRef>,
    today: Date,
) -> Option<String> {
    let priced = references.into_iter();
    let old: BTreeSet<String> = priced
        .filter(|reference| needs_price(reference))
        .filter_map(|reference| {
            let date = prices.date(reference.as_str())?;
            let age = today.since(date).ok()?.get_days();
            (age > CURRENT_DAYS).then(|| format!("`{reference}` ({date})"))
        })
        .collect();
    (!old.is_empty()).then(|| {
        let old: Vec<String> = old.into_iter().collect();
        format!(
            "prices are older than {CURRENT_DAYS} days: {}; pass current prices with --prices FILE",
            old.join(", ")
        )
    })
}

/// Returns the bundled prices, overridden by those of a file if one is given.
///
/// # Errors
/// [`SettingsError`] for a file that cannot be read or is not a price table.
pub(crate) fn prices(file: Option<&Path>) -> Result<PriceTable, SettingsError> {
    let bundled = PriceTable::bundled()?;
    let Some(file) = file else {
        return Ok(bundled);
    };
    let text = fs::read_to_string(file).map_err(|error| SettingsError::unreadable(file, error))?;
    Ok(PriceTable::parse(&file.display().to_string(), &text)?.or(bundled))
}

#[cfg(test)]
mod tests {
    use harness::provider::PriceTable;
    use jiff::civil::date;

    use super::{ModelRef, old_prices};

    #[test]
    fn warns_about_old_prices_of_used_models() {
        let table = "{date: 2026-03-01, source: s, sources: {new: {date: 2026-05-02, source: s}}, prices: [\
                     {models: ['openai/a', 'openrouter/*'], input: 1, output: 2}, \
                     {models: ['openai/b'], input: 1, output: 2, from: new}]}";
        let table = PriceTable::parse("own.yaml", table).unwrap();
        let references = [
            "openai/b",
            "openai/a",
            "openai-responses/a",
            "openrouter/v/m",
            "openai/c",
            "scripted",
        ];
        let references: Vec<ModelRef> = references.map(|text| text.parse().unwrap()).to_vec();
        for (today, expected) in [
            (date(2026, 2, 1), None),
            (date(2026, 8, 30), None),
            (
                date(2026, 8, 31),
                Some("`openai-responses/a` (2026-03-01), `openai/a` (2026-03-01)"),
            ),
            (
                date(2026, 11, 1),
                Some(
                    "`openai-responses/a` (2026-03-01), `openai/a` (2026-03-01), `openai/b` (2026-05-02)",
                ),
            ),
        ] {
            let expected = expected.map(|models| {
                format!(
                    "prices are older than 182 days: {models}; pass current prices with --prices \
                     FILE"
                )
            });
            assert_eq!(old_prices(&table, &references, today), expected, "{today}");
        }
    }
}
