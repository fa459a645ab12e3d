//! Settings of what may be spent.

use std::fs;
use std::path::Path;

use harness::provider::PriceTable;

use super::SettingsError;
use crate::providers::ModelRef;

/// Checks that a budget of money can be kept, if a flag sets one.
///
/// # Errors
/// [`SettingsError`] for the first model whose calls would count as free.
pub(super) fn check_prices<'a>(
    flag: Option<&'static str>,
    prices: &PriceTable,
    references: impl IntoIterator<Item = &'a ModelRef>,
) -> Result<(), SettingsError> {
    let Some(flag) = flag else {
        return Ok(());
    };
    // OpenRouter says with each response what it has charged; scripted and replayed models cost what their files say.
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

/// The prices of a file, if there is one, before the bundled ones.
///
/// # Errors
/// [`SettingsError`] for a file that cannot be read or is no table of prices.
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
