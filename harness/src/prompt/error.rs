//! What can be wrong with the words and files that a prompt is made from.

use std::io;
use std::path::PathBuf;

use crate::text::did_you_mean;

/// An error in a prompt's settings or in a user's driver or profile file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// A word that is no prompt mode.
    #[error("unknown prompt mode `{given}`, expected `solver` or `coordinator`{}", did_you_mean(.nearest.as_deref(), &[]))]
    UnknownMode {
        /// The word as given.
        given: String,
        /// The mode it most likely stands for.
        nearest: Option<String>,
    },

    /// A model alias that does not have the documented form.
    #[error(
        "model alias `{spec}`: {problem}; expected ALIAS=PROVIDER/MODEL, ALIAS=PROVIDER/MODEL:TAG,TAG, or, for a model with a colon in its name, ALIAS=PROVIDER/MODEL: with a colon after it"
    )]
    ModelAlias {
        /// The alias as given.
        spec: String,
        /// What is wrong with it.
        problem: String,
    },

    /// Two aliases of one name.
    #[error("model alias `{alias}` is given twice, for `{first}` and `{second}`")]
    DuplicateAlias {
        /// The name of both.
        alias: String,
        /// The model of the first one.
        first: String,
        /// The model of the second one.
        second: String,
    },

    /// A file or folder that cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },

    /// A driver or profile file with a fault in it.
    #[error("{origin}: {problem}")]
    Invalid {
        /// The file, with the line where it is known.
        origin: String,
        /// What is wrong and what would be right, with the field's name.
        problem: String,
    },

    /// A driver that is neither bundled nor in the user's folder.
    #[error("unknown driver `{name}`{}", did_you_mean(.nearest.as_deref(), .known))]
    UnknownDriver {
        /// The name as given.
        name: String,
        /// The driver it most likely stands for.
        nearest: Option<String>,
        /// Every known driver.
        known: Vec<String>,
    },

    /// A profile that is neither bundled nor in the user's file.
    #[error("unknown profile `{name}`{}", did_you_mean(.nearest.as_deref(), .known))]
    UnknownProfile {
        /// The name as given.
        name: String,
        /// The profile it most likely stands for.
        nearest: Option<String>,
        /// Every known profile.
        known: Vec<String>,
    },
}
