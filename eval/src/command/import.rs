//! `rlm-eval import`: run directories of what other systems recorded.

use super::stdout;
use crate::cli::ImportArgs;
use crate::error::Error;
use crate::exit::Outcome;
use crate::import::{Imported, read};
use crate::settings::ImportSettings;

/// Reads every file before it writes the first folder, and prints the folders.
///
/// # Errors
/// [`Error::Import`] for a file that is no result file or a folder that cannot be written, or [`Error::Stdout`].
pub(super) fn execute(args: &ImportArgs) -> Result<Outcome, Error> {
    let settings = ImportSettings::resolve(args);
    let runs: Vec<Imported> = settings
        .files
        .iter()
        .map(|file| read(file, &settings.guidance))
        .collect::<Result<_, _>>()?;
    for run in runs {
        let folder = run.write(&settings.log_dir)?;
        stdout::write(&format!("{}\n", folder.display()))?;
    }
    Ok(Outcome::Complete)
}
