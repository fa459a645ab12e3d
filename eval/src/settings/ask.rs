//! Settings of `eval ask`.

use super::{ContextSource, EngineSettings, QuerySource, Resolved, SettingsError};
use crate::cli::AskArgs;

/// Everything that one question depends on.
#[derive(Debug, Clone)]
pub struct AskSettings {
    /// Where the question comes from.
    pub query: QuerySource,
    /// Where the context comes from.
    pub context: ContextSource,
    /// The agents.
    pub engine: EngineSettings,
}

impl AskSettings {
    /// Resolves the flags of a question.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first flag that is wrong. Files are read later.
    pub fn resolve(args: &AskArgs) -> Result<Resolved<Self>, SettingsError> {
        let query = match (&args.query_file, &args.query) {
            (Some(file), _) => QuerySource::File(file.clone()),
            (None, Some(text)) if text == "-" => QuerySource::Stdin,
            (None, text) => QuerySource::Text(text.clone().unwrap_or_default()),
        };
        let context = match (&args.context_file, &args.context_dir) {
            (Some(file), _) => ContextSource::File(file.clone()),
            (None, Some(folder)) => ContextSource::Folder(folder.clone()),
            (None, None) => ContextSource::Empty,
        };
        let engine = EngineSettings::resolve(&args.engine)?;
        Ok(engine.map(|engine| Self {
            query,
            context,
            engine,
        }))
    }
}
