//! Settings of `rlm-eval fork`.

use std::path::{Path, PathBuf};

use super::resume::RecordedRun;
use super::{Resolved, RunMode, RunSettings, SettingsError};
use crate::cli::{ForkArgs, ForkAt};

/// Settings for forking an attempt.
#[derive(Debug, Clone)]
pub struct ForkSettings {
    /// Folder of the original run.
    pub dir: PathBuf,
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// First iteration that is not taken from the original attempt.
    pub at: ForkAt,
    /// Text to append to the latest user message in the fork's first new request.
    pub note: Option<String>,
    /// Settings of the new run: those of the original run, overridden by command-line flags.
    pub run: RunSettings,
}

impl ForkSettings {
    /// Resolves the flags: those recorded with the run, overridden by command-line flags. The
    /// fork's folder is created next to the run's folder unless `--log-dir` is typed.
    ///
    /// # Errors
    /// A [`SettingsError`] if the folder contains no run, or for the first invalid flag.
    pub fn resolve(args: &ForkArgs) -> Result<Resolved<Self>, SettingsError> {
        let changes = &args.changes;
        let begun = RecordedRun::read(changes)?;
        let mut flags = begun.flags;
        let dir = changes.dir.clone();
        let beside = dir.parent().filter(|parent| *parent != Path::new(""));
        flags.log_dir = beside.map_or_else(|| PathBuf::from("."), Path::to_owned);
        flags.queue.queue = None;
        flags.engine.store.record = None;
        (flags.conduct.min_score, flags.conduct.fail_on_error) = (None, None);
        let mut flags = changes
            .over(flags)
            .map_err(|problem| SettingsError::new(problem.to_string()))?;
        flags.select_only(std::slice::from_ref(&args.sample));
        flags.attempts = 1;
        flags.start.json = changes.json;
        flags.start.verbose = changes.verbose;
        let resolved = RunSettings::at(&flags, RunMode::New)?;
        let base_url = changes.base_url.as_deref();
        let run = &resolved.settings;
        run.check_addresses(&dir, base_url, &changes.command)?;
        Ok(resolved.map(|run| Self {
            dir,
            sample: args.sample.clone(),
            attempt: args.attempt,
            at: args.at,
            note: args.note.clone(),
            run,
        }))
    }
}
