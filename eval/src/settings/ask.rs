//! Settings of `rlm-eval ask`.

use std::path::PathBuf;

use benchmarks::Image;

use super::bounds::within;
use super::{ContextSource, EngineSettings, Keys, QuerySource, Resolved, SettingsError, Start};
use crate::cli::AskArgs;

/// Everything that one question depends on.
#[derive(Debug, Clone)]
pub struct AskSettings {
    /// Where the question comes from.
    pub query: QuerySource,
    /// Where the context comes from.
    pub context: ContextSource,
    /// The files of the images that are shown with the question; at most [`Image::MOST`].
    pub images: Vec<PathBuf>,
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
        let images: Vec<PathBuf> = args
            .image
            .iter()
            .filter(|path| !path.as_os_str().is_empty())
            .cloned()
            .collect();
        within("--image", images.len(), &(0..=Image::MOST))?;
        let engine = EngineSettings::resolve(&args.engine, Keys::Needed, Start::New)?;
        Ok(engine.map(|engine| Self {
            query,
            context,
            images,
            engine,
        }))
    }
}
