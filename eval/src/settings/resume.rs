//! Settings of `eval run --resume`.

use std::path::PathBuf;

use serde_json::Value;

use super::{Resolved, RunSettings, SettingsError};
use crate::cli::{ResumeArgs, RunArgs};
use crate::run_dir;

/// A run that goes on.
#[derive(Debug, Clone)]
pub struct ResumeSettings {
    /// Its folder.
    pub dir: PathBuf,
    /// Whether attempts that ended in an error are made again.
    pub retry_errors: bool,
    /// The settings that it was begun with, and in their place those that are typed.
    pub run: RunSettings,
}

impl ResumeSettings {
    /// Resolves the flags of a run that goes on: those that its `config.json` has, and over them those that are typed.
    ///
    /// # Errors
    /// A [`SettingsError`] if the folder holds no run that can go on, or for the first flag that is wrong. Whether the
    /// settings can still give the same answers is known when the run is opened.
    pub fn resolve(args: &ResumeArgs) -> Result<Resolved<Self>, SettingsError> {
        let dir = args.dir.clone();
        if args.log_dir_given {
            return Err(SettingsError::LogDirOfResumed { dir });
        }
        let (path, mut config) = run_dir::read_config(&dir)?;
        let flags = config.get_mut("flags").map(Value::take);
        let not_resumable = |problem: String| SettingsError::NotResumable {
            path: path.clone(),
            problem,
        };
        let Some(flags) = flags else {
            let problem = "it has no `flags`, so this run was not begun by `eval run`";
            return Err(not_resumable(problem.to_owned()));
        };
        let begun_with: RunArgs = serde_json::from_value(flags)
            .map_err(|problem| not_resumable(format!("flags: {problem}")))?;
        let begun_on = begun_with.engine.guidance.layers.date.clone();
        let mut flags = args
            .over(begun_with)
            .map_err(|problem| not_resumable(problem.to_string()))?;
        let given = &flags.engine.guidance.layers.date;
        if let (Some(begun_on), Some(given)) = (&begun_on, given)
            && given.trim() != begun_on
        {
            let problem = format!(
                "the run was begun with --date {begun_on}, which its prompts keep, and not with --date {}",
                given.trim()
            );
            return Err(not_resumable(problem));
        }
        flags.json = args.json;
        let retry_errors = args.retry_errors;
        Ok(RunSettings::resolve(&flags)?.map(|mut run| {
            run.engine.store.record_goes_on = true;
            Self {
                dir,
                retry_errors,
                run,
            }
        }))
    }
}
