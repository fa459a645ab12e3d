//! Names that a driver may set in a REPL, and the globals of each REPL.

use oxc_syntax::identifier::is_identifier_name;
use oxc_syntax::keyword::is_reserved_keyword;

use crate::rewrite::{RESERVED, is_builtin};

/// Globals that each agent has for itself, beside the builtins that all agents share. Sorted.
pub(crate) const OWN_GLOBALS: &[&str] = &[
    "__ctx",
    "__rlm",
    "agent",
    "budget",
    "clearImmediate",
    "clearInterval",
    "clearTimeout",
    "console",
    "context",
    "llm",
    "performance",
    "require",
    "rlm",
    "setImmediate",
    "setInterval",
    "setTimeout",
];

/// A name that cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Not a valid variable name.
    #[error("{0:?} cannot be the name of a variable")]
    NotAName(String),
    /// A builtin, which code reads from the global object.
    #[error("{0:?} is a builtin, which cannot be set from outside; a cell can declare it")]
    Builtin(String),
    /// A name that the REPL uses itself.
    #[error("{0:?} is reserved by the REPL")]
    Reserved(String),
    /// Not a valid name of a host function.
    #[error(
        "{0:?} cannot be the name of a function: it is a name, such as 'search', or an object's and a method's with \
         a dot between, such as 'page.open'"
    )]
    NotAFunction(String),
    /// Two host functions map to one property.
    #[error("duplicate function name {0:?}")]
    Duplicate(String),
}

/// Checks a name for [`Repl::set`](crate::Repl::set).
///
/// # Errors
/// [`NameError`] with the name.
pub fn check_name(name: &str) -> Result<(), NameError> {
    if !is_identifier_name(name) || is_reserved_keyword(name) {
        return Err(NameError::NotAName(name.to_owned()));
    }
    if is_builtin(name) {
        return Err(NameError::Builtin(name.to_owned()));
    }
    if name.starts_with(RESERVED) {
        return Err(NameError::Reserved(name.to_owned()));
    }
    Ok(())
}
