//! What is wrong with a setting, and what to do about it. What that can be stands with each setting; here is what carries it.

use std::fmt::Display;
use std::path::Path;

use harness::hook::HookRegistryError;
use harness::prompt::definition::Faults;
use harness::prompt::{PromptError, UnfitDriver};
use harness::provider::{PriceError, WindowError};
use harness::treatment::Inert;
use records::run_dir::RunDirError;

use crate::cli::SandboxError;

/// A setting, or a file that a setting names, is wrong. Nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A setting is wrong.
    #[error("{problem}")]
    Wrong {
        /// What is wrong, where, and what would be right.
        problem: String,
        /// What to do about it, where that is more.
        hint: Option<String>,
    },

    /// Something that the run claims is not in what its agents get. A sweep leaves it out of a cell.
    #[error(transparent)]
    Inert(Box<Inert>),

    /// A driver that is written for agents of other protocols. A sweep skips such a cell.
    #[error("--drivers: {0}")]
    UnfitDriver(#[from] UnfitDriver),

    /// The run that is to go on cannot be read.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
}

impl SettingsError {
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self::Wrong {
            problem: problem.into(),
            hint: None,
        }
    }

    pub(crate) fn with_hint(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Wrong {
            problem: problem.into(),
            hint: Some(hint.into()),
        }
    }

    /// A word that is none of the `known` ones; `problem` says which.
    pub(super) fn unknown(
        problem: &str,
        nearest: Option<&str>,
        known: impl IntoIterator<Item: AsRef<str>>,
    ) -> String {
        if let Some(word) = nearest {
            return format!("{problem}; did you mean `{word}`?");
        }
        let known: Vec<_> = known.into_iter().collect();
        let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
        format!("{problem}; known: {}", known.join(", "))
    }

    /// A file or folder that cannot be read.
    pub(super) fn unreadable(path: &Path, reason: impl Display) -> Self {
        Self::new(format!("cannot read {}: {reason}", path.display()))
    }

    /// What to do about it, where that is more than the message says.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Wrong { hint, .. } => hint.clone(),
            Self::Inert(inert) => Some(inert.hint.clone()),
            Self::UnfitDriver(unfit) => Some(format!(
                "leave `{}` out; a driver of your own names in `protocols` what it is written for",
                unfit.name
            )),
            Self::RunDir(_) => None,
        }
    }
}

impl From<Inert> for SettingsError {
    fn from(inert: Inert) -> Self {
        Self::Inert(Box::new(inert))
    }
}

impl From<SandboxError> for SettingsError {
    fn from(error: SandboxError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<PriceError> for SettingsError {
    fn from(error: PriceError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<WindowError> for SettingsError {
    fn from(error: WindowError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<Faults> for SettingsError {
    fn from(faults: Faults) -> Self {
        let hint = "`rlm-eval prompt --check DIR` shows all faults of a folder";
        Self::with_hint(faults.to_string(), hint)
    }
}

impl From<PromptError> for SettingsError {
    fn from(error: PromptError) -> Self {
        let problem = error.to_string();
        match error {
            PromptError::UnknownDriver { .. } => Self::with_hint(problem, DRIVERS),
            PromptError::UnknownProfile { .. } => Self::with_hint(
                problem,
                "`rlm-eval list profiles` shows what there is; --profiles-file adds your own",
            ),
            _ => Self::new(problem),
        }
    }
}

/// Where the names of drivers are.
pub(super) const DRIVERS: &str =
    "`rlm-eval list drivers` shows what there is; --drivers-dir adds your own";

impl From<HookRegistryError> for SettingsError {
    fn from(error: HookRegistryError) -> Self {
        let problem = error.to_string();
        match error {
            HookRegistryError::Unknown { .. } => Self::with_hint(
                problem,
                "`rlm-eval list hooks` shows what there is; --hooks-dir adds your own",
            ),
            HookRegistryError::File(_) => Self::new(problem),
        }
    }
}
