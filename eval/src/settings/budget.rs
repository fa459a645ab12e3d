//! Settings of budgets and prices.

use std::fs;
use std::path::Path;

use harness::provider::PriceTable;

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
    // OpenRouter reports the charge in each response; scripted and replayed models cost what their
    // files say.
    let unpriced = references.into_iter().find(|reference| {
        let server = reference.on_server().is_some();
        server && reference.provider() != "openrouter" && !prices.knows(reference.as_str())
    });
    match unpriced {
        Some(reference) => Err(SettingsError::with_hint(
            format!("{flag}: no price is known for `{reference}`, so nothing would count"),
            "give its price with --prices FILE; docs/reference/models.md shows one",
        )),
        None => Ok(()),
    }
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
