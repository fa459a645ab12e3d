//! Errors in the settings and files of prompts.

use std::io;
use std::path::Path;

use crate::text::hint_for_unknown;

/// Error in a prompt's settings or in a user's driver or profile file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// An alias is invalid, or a file is unreadable or has a fault. Contains the place, the problem
    /// and valid values.
    #[error("{0}")]
    Invalid(String),

    /// The driver is neither bundled nor in the user's folder.
    #[error("unknown driver `{name}`{}", hint_for_unknown(.name, .known))]
    UnknownDriver {
        /// Name as given.
        name: String,
        /// Names of all known drivers.
        known: Vec<String>,
    },

    /// The profile is neither bundled nor in the user's file.
    #[error("unknown profile `{name}`{}", hint_for_unknown(.name, .known))]
    UnknownProfile {
        /// Name as given.
        name: String,
        /// Names of all known profiles.
        known: Vec<String>,
    },
}

impl PromptError {
    /// Returns the error of a file or folder that cannot be read.
    pub(super) fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self::Invalid(format!("cannot read {}: {error}", path.display()))
    }
}
