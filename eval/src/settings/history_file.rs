//! Where the interactive REPL keeps what was typed.

use std::env;
use std::path::PathBuf;

use crate::env_vars;

/// `eval/history` in the user's state folder: `$XDG_STATE_HOME`, or `~/.local/state`. None for a user
/// without either.
///
/// A relative `XDG_STATE_HOME` counts as not set, as the XDG Base Directory Specification says.
pub(crate) fn path() -> Option<PathBuf> {
    let folder = |name| {
        let folder = PathBuf::from(env::var_os(name)?);
        folder.is_absolute().then_some(folder)
    };
    let state = folder(env_vars::XDG_STATE_HOME)
        .or_else(|| Some(folder(env_vars::HOME)?.join(".local/state")))?;
    Some(state.join("eval").join("history"))
}
