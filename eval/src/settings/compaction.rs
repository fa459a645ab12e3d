//! Settings of compaction: the context windows of models, if the threshold is a percentage of them.

use std::fs;
use std::path::Path;

use harness::provider::WindowTable;
use harness::{CompactAt, Compaction};

use super::SettingsError;
use crate::providers::ModelRef;

/// Looks up the context windows of the models that agents may use, if the threshold is a
/// percentage.
///
/// # Errors
/// [`SettingsError`] for an invalid table of windows, and for the first model whose window is
/// unknown.
pub(super) fn find_windows<'a>(
    compaction: &mut Compaction,
    file: Option<&Path>,
    references: impl IntoIterator<Item = &'a ModelRef>,
) -> Result<(), SettingsError> {
    let Some(CompactAt::Share { percent, windows }) = &mut compaction.at else {
        return Ok(());
    };
    let mut table = WindowTable::bundled()?;
    if let Some(file) = file {
        let text =
            fs::read_to_string(file).map_err(|error| SettingsError::unreadable(file, error))?;
        table = WindowTable::parse(&file.display().to_string(), &text)?.or(table);
    }
    for reference in references {
        let Some(window) = table.of(reference.as_str()) else {
            return Err(SettingsError::with_hint(
                format!("--compaction-at {percent}%: unknown context window of `{reference}`"),
                "set a number of tokens, such as --compaction-at 24000, or add the window with --windows FILE; see docs/reference/models.md for an example",
            ));
        };
        windows.insert(reference.to_string(), window);
    }
    Ok(())
}
