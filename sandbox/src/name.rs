//! Names that the host may set in a REPL, and the globals of each REPL.

use oxc_syntax::identifier::is_identifier_name;
use oxc_syntax::keyword::is_reserved_keyword;

use crate::rewrite::{RESERVED, is_builtin};

/// Globals of which each agent has its own copy, unlike the builtins that all agents share. Sorted.
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

/// Reason why a name cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The name is not a valid variable name.
    #[error("{0:?} cannot be the name of a variable")]
    NotAName(String),
    /// The name is a builtin, which code reads from the global object.
    #[error("{0:?} is a builtin, which cannot be set from outside; a cell can declare it")]
    Builtin(String),
    /// The REPL itself uses the name.
    #[error("{0:?} is reserved by the REPL")]
    Reserved(String),
    /// The name is not a valid name of a host function.
    #[error(
        "{0:?} cannot be the name of a function; expected a name such as 'search', or OBJECT.METHOD such as 'page.open'"
    )]
    NotAFunction(String),
    /// Two host functions have the same name, or one has the name of another's object.
    #[error("duplicate function name {0:?}")]
    Duplicate(String),
}

/// Checks a name for [`Repl::set`](crate::Repl::set).
///
/// # Errors
/// Returns [`NameError`] if the name is not a valid variable name, is a builtin, or is reserved.
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
