//! Settings of budgets and prices.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use harness::provider::PriceTable;
use jiff::civil::Date;

use super::SettingsError;
use crate::providers::ModelRef;

/// Checks that a cost limit can be enforced, if a flag sets one.
///
/// # Errors
/// [`SettingsError`] for the first model without a known price.
pub(super) fn check_prices<'a>(
    flag: Option<&'static str>,
    prices: &PriceTable,
    references: impl IntoIterator<Item = &'a ModelRef>,
) -> Result<(), SettingsError> {
    let Some(flag) = flag else {
        return Ok(());
    };
    // OpenRouter reports the charge in each response; scripted and replayed models take it from
    // their files.
    let unpriced = references.into_iter().find(|reference| {
        let server = reference.on_server().is_some();
        server && reference.provider() != "openrouter" && !prices.knows(reference.as_str())
    });
    match unpriced {
        Some(reference) => Err(SettingsError::with_hint(
            format!("{flag}: unknown price of `{reference}`, so its cost cannot be limited"),
            "add its price with --prices FILE; see docs/reference/models.md for an example",
        )),
        None => Ok(()),
    }
}

/// Maximum age of a current price in days: half a year.
const CURRENT_DAYS: i32 = 182;

/// Returns a warning that names the models whose prices are outdated on a day, or `None` if no
/// price is.
pub(super) fn old_prices<'a>(
    prices: &PriceTable,
    references: impl IntoIterator<Item = &'a ModelRef>,
    today: Date,
) -> Option<String> {
    // OpenRouter reports the charge in each response; the files of other references state theirs.
    let priced = references.into_iter().filter(|reference| {
        reference.on_server().is_some() && reference.provider() != "openrouter"
    });
    let old: BTreeSet<String> = priced
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

/// Returns the bundled prices, preceded by those of a file if there is one.
///
/// # Errors
/// [`SettingsError`] for a file that cannot be read or is not a price table.
pub(super) fn prices(file: Option<&Path>) -> Result<PriceTable, SettingsError> {
    let bundled = PriceTable::bundled()?;
    Ok(match file {
        Some(file) => own_prices(file)?.or(bundled),
        None => bundled,
    })
}

fn own_prices(file: &Path) -> Result<PriceTable, SettingsError> {
    let text = fs::read_to_string(file).map_err(|error| SettingsError::unreadable(file, error))?;
    Ok(PriceTable::parse(&file.display().to_string(), &text)?)
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
