//! Path of the interactive REPL's history.

use std::env;
use std::path::PathBuf;

use crate::env_vars;

/// Returns `eval/history` in the user's state folder: `$XDG_STATE_HOME`, or `~/.local/state`.
/// `None` if neither `XDG_STATE_HOME` nor `HOME` is an absolute path.
///
/// A relative `XDG_STATE_HOME` is ignored, as the XDG Base Directory Specification requires.
pub(crate) fn path() -> Option<PathBuf> {
    let folder = |name| {
        let folder = PathBuf::from(env::var_os(name)?);
        folder.is_absolute().then_some(folder)
    };
    let state = folder(env_vars::XDG_STATE_HOME)
        .or_else(|| Some(folder(env_vars::HOME)?.join(".local/state")))?;
    Some(state.join("eval").join("history"))
}
