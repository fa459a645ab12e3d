//! Error type for invalid settings: a message and an optional hint. Messages are written where
//! settings are checked.

use std::fmt::Display;
use std::path::Path;

use harness::hook::HookRegistryError;
use harness::nearest;
use harness::prompt::definition::{Fault, Faults};
use harness::prompt::{DriverProtocolMismatch, PromptError};
use harness::provider::{PriceError, WindowError};
use harness::treatment::NoEffect;
use records::run_dir::RunDirError;

/// A setting, or a file that a setting names, is invalid. Nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// Any error that callers do not handle specially.
    #[error("{problem}")]
    Wrong {
        /// What is invalid, its location, and what would be valid.
        problem: String,
        /// Additional advice, if any.
        hint: Option<String>,
    },

    /// A setting has no effect on the agents. A sweep omits it from the cell.
    #[error(transparent)]
    NoEffect(Box<NoEffect>),

    /// A driver does not support the protocol. A sweep skips the cell.
    #[error("--drivers: {0}")]
    DriverProtocolMismatch(#[from] DriverProtocolMismatch),

    /// A run directory cannot be read.
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

    /// Returns the message for a word that is not in `known`. It suggests the most similar one or,
    /// if none is similar, lists them all.
    pub(crate) fn unknown(problem: &str, word: &str, known: &[&str]) -> String {
        match nearest(word, known.iter().copied()) {
            Some(nearest) => format!("{problem}; did you mean `{nearest}`?"),
            None => format!("{problem}; known: {}", known.join(", ")),
        }
    }

    /// Returns the error for a file or folder that cannot be read.
    pub(crate) fn unreadable(path: &Path, reason: impl Display) -> Self {
        Self::new(format!("cannot read {}: {reason}", path.display()))
    }

    /// Returns advice that the message does not contain, if any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Wrong { hint, .. } => hint.clone(),
            Self::NoEffect(no_effect) => Some(no_effect.hint.clone()),
            Self::DriverProtocolMismatch(unfit) => Some(format!(
                "remove `{}`; if it is your own driver, add the protocol to its `protocols`",
                unfit.name
            )),
            Self::RunDir(_) => None,
        }
    }
}

impl From<NoEffect> for SettingsError {
    fn from(no_effect: NoEffect) -> Self {
        Self::NoEffect(Box::new(no_effect))
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
        let hint = match faults.0.iter().find_map(server_of_unknown_tool) {
            Some(server) => format!(
                "if `{server}` is an MCP server, start it with --mcp-server '{server}=COMMAND'"
            ),
            None => "`rlm-eval prompt --check DIR` shows all errors of a folder".to_owned(),
        };
        Self::with_hint(faults.to_string(), hint)
    }
}

/// Returns the server's name if the fault is an unknown tool named like an MCP tool, `SERVER.TOOL`.
fn server_of_unknown_tool(fault: &Fault) -> Option<&str> {
    let name = fault.problem.strip_prefix("unknown tool `")?;
    let (name, _) = name.split_once('`')?;
    let (server, _) = name.split_once('.')?;
    server
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_')
        .then_some(server)
}

impl From<PromptError> for SettingsError {
    fn from(error: PromptError) -> Self {
        let problem = error.to_string();
        match error {
            PromptError::UnknownDriver { .. } => Self::with_hint(problem, DRIVERS),
            PromptError::UnknownProfile { .. } => Self::with_hint(
                problem,
                "`rlm-eval list profiles` lists the valid names; --profiles-file adds your own",
            ),
            _ => Self::new(problem),
        }
    }
}

pub(super) const DRIVERS: &str =
    "`rlm-eval list drivers` lists the valid names; --drivers-dir adds your own";

impl From<HookRegistryError> for SettingsError {
    fn from(error: HookRegistryError) -> Self {
        let problem = error.to_string();
        match error {
            HookRegistryError::Unknown { .. } => Self::with_hint(
                problem,
                "`rlm-eval list hooks` lists the valid names; --hooks-dir adds your own",
            ),
            HookRegistryError::File(_) => Self::new(problem),
        }
    }
}
