//! Rules for setting flags in a file `.env`.

use clap::Arg;

use super::flags::NotFromFile;
use super::places;
use super::powers::is_permission;

/// Properties of the flag that an environment variable sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagVariable {
    /// Rule for setting the flag in a file `.env`. If several commands have a flag of this name,
    /// the strictest rule applies.
    pub from_file: FromFile,
    /// Flag with its dashes: `--max-depth`.
    pub flag: String,
    /// Separator of values, if the flag accepts several.
    pub delimiter: Option<char>,
}

/// Rule for setting a flag in a file `.env`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FromFile {
    /// Any value is allowed.
    Any,
    /// Only values that do not name a file outside the folder of `.env` are allowed.
    Inside,
    /// The flag must not be set.
    Never,
}

/// Returns the rule for setting this flag in a file `.env`.
pub(crate) fn from_file(argument: &Arg) -> FromFile {
    let id = argument.get_id().as_str();
    if is_permission(id) || argument.get::<NotFromFile>().is_some() || places::is_granted(argument)
    {
        return FromFile::Never;
    }
    if places::is_prose(argument) {
        FromFile::Any
    } else {
        FromFile::Inside
    }
}
