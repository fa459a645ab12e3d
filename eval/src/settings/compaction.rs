//! Settings of compaction: the windows of the models whose share it begins at.

use std::fs;
use std::path::Path;

use harness::provider::WindowTable;
use harness::{CompactAt, Compaction};

use super::SettingsError;
use crate::providers::ModelRef;

/// Finds the windows that a share is one of, if the size is a share: those of the models that agents may have.
///
/// # Errors
/// [`SettingsError`] for a file that is no table of windows, and for the first model whose window is not known.
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
                format!("--compaction-at {percent}%: the window of `{reference}` is not known"),
                "give tokens, such as --compaction-at 24000, or the window with --windows FILE; docs/reference/models.md shows one",
            ));
        };
        windows.insert(reference.to_string(), window);
    }
    Ok(())
}
