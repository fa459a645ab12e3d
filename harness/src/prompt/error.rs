//! Errors in the settings and files of prompts.

use std::io;
use std::path::PathBuf;

use crate::text::hint_for_unknown;

/// Error in a prompt's settings or in a user's driver or profile file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// The model alias does not have the documented form.
    #[error(
        "model alias `{spec}`: {problem}; expected ALIAS=PROVIDER/MODEL or ALIAS=PROVIDER/MODEL:TAG,TAG; a model name that contains a colon must be followed by another colon"
    )]
    ModelAlias {
        /// The alias as given.
        spec: String,
        /// What is wrong with the alias.
        problem: String,
    },

    /// Two aliases have the same name.
    #[error("model alias `{alias}` is given twice, for `{first}` and `{second}`")]
    DuplicateAlias {
        /// Name of the two aliases.
        alias: String,
        /// Model of the first alias.
        first: String,
        /// Model of the second alias.
        second: String,
    },

    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },

    /// A driver or profile file has a fault.
    #[error("{origin}: {problem}")]
    Invalid {
        /// Path of the file, with the line if known.
        origin: String,
        /// Description of the problem and of valid values, with the name of the field.
        problem: String,
    },

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
