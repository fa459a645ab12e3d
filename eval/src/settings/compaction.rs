//! Flags of compaction, which shortens long conversations, and the context windows of models.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use harness::Compaction;
use harness::provider::WindowTable;
use harness::settings::{CompactionSettings, CompactionSize};
use serde::Serialize;

use super::SettingsError;
use crate::providers::ModelRef;

/// Settings of compaction.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Agent")]
pub struct CompactionArgs {
    /// Method, size, and number of turns to keep.
    #[command(flatten)]
    #[serde(flatten)]
    pub settings: CompactionSettings,

    /// Model that writes summaries [default: the agent's own]
    #[arg(long, value_name = "REF")]
    pub compaction_model: Option<ModelRef>,

    /// YAML file of models' context windows, which take precedence over the bundled ones [default:
    /// only the bundled ones]
    #[arg(long, value_name = "FILE")]
    pub windows: Option<PathBuf>,
}

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
    let Some(CompactionSize::Percent(percent)) = compaction.settings.size() else {
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
        let windows = &mut compaction.windows;
        windows.insert(reference.to_string(), window);
    }
    Ok(())
}
