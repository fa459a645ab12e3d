//! Settings of `eval repl`.

use std::path::PathBuf;

use super::{ContextSource, SandboxSettings, SettingsError, history_file};
use crate::cli::ReplArgs;

/// Everything that a REPL depends on.
#[derive(Debug, Clone)]
pub struct ReplSettings {
    /// Where the context comes from.
    pub context: ContextSource,
    /// Whether lines are JSON objects.
    pub json: bool,
    /// Limits and printing.
    pub sandbox: SandboxSettings,
    /// Where what was typed is kept; none for a user without a home.
    pub history: Option<PathBuf>,
}

impl ReplSettings {
    /// Resolves the flags of a REPL.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first limit that is out of bounds. Files are read later.
    pub fn resolve(args: &ReplArgs) -> Result<Self, SettingsError> {
        Ok(Self {
            context: match &args.context_file {
                Some(file) => ContextSource::File(file.clone()),
                None => ContextSource::Empty,
            },
            json: args.json,
            sandbox: super::sandbox::resolve(&args.sandbox)?,
            history: history_file::path(),
        })
    }
}
