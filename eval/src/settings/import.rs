//! Settings of `rlm-eval import`.

use std::path::PathBuf;

use super::name_list::names;
use crate::cli::{ImportArgs, ImportSystem};
use crate::import::Guidance;

/// Files to import, and the output folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportSettings {
    /// Result files of the JavaScript system; at least one.
    pub files: Vec<PathBuf>,
    /// Details that the user knows about the runs.
    pub guidance: Guidance,
    /// Parent folder of the runs' folders.
    pub log_dir: PathBuf,
}

impl ImportSettings {
    /// Resolves the flags. Nothing can be invalid before the files are read.
    pub fn resolve(args: &ImportArgs) -> Self {
        let ImportSystem::NodeRlm(args) = &args.system;
        Self {
            files: args.files.clone(),
            guidance: Guidance {
                prompt_mode: args.prompt_mode.map(|mode| mode.to_string()),
                drivers: args
                    .drivers
                    .as_deref()
                    .map(|drivers| names(drivers).join("+")),
            },
            log_dir: args.log_dir.clone(),
        }
    }
}
