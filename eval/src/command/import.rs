//! `rlm-eval import`: converts the results of other systems to run directories.

mod settings;

use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::run::import::{Imported, read};
use settings::ImportSystem;

pub(crate) use settings::ImportArgs;

/// Imports result files and prints the new folders. Every file is read before the first folder is
/// written.
///
/// # Errors
/// [`Error::Import`] for an invalid result file or a folder that cannot be written, or
/// [`Error::Stdout`].
pub(super) fn execute(args: &ImportArgs) -> Result<Outcome, Error> {
    let ImportSystem::NodeRlm(args) = &args.system;
    let guidance = args.guidance();
    let files = args.files.iter();
    let runs: Vec<Imported> = files
        .map(|file| read(file, &guidance))
        .collect::<Result<_, _>>()?;
    for run in runs {
        let folder = run.write(&args.log_dir)?;
        stdout::write(&format!("{}\n", folder.display()))?;
    }
    Ok(Outcome::Complete)
}
