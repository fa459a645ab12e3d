//! Paths of the user's caches and of the history of the interactive REPL.

use std::env;
use std::path::PathBuf;

use crate::process::env_vars;

/// Returns the path of the user's caches: `$XDG_CACHE_HOME/eval`, or `~/.cache/eval`. `None` if
/// neither `XDG_CACHE_HOME` nor `HOME` is set.
pub(super) fn caches() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let caches = set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(set("HOME")?).join(".cache")))?;
    Some(caches.join("eval"))
}

/// Returns the path of the engine snapshot, which later starts of the program reuse.
pub fn snapshot_file() -> Option<PathBuf> {
    caches().map(|folder| folder.join("engine-snapshot"))
}

/// Returns the path of the REPL's history, `eval/history` in the user's state folder:
/// `$XDG_STATE_HOME`, or `~/.local/state`. `None` if neither `XDG_STATE_HOME` nor `HOME` is an
/// absolute path.
///
/// A relative `XDG_STATE_HOME` is ignored, as the XDG Base Directory Specification requires.
pub(crate) fn history_file() -> Option<PathBuf> {
    let folder = |name| {
        let folder = PathBuf::from(env::var_os(name)?);
        folder.is_absolute().then_some(folder)
    };
    let state = folder(env_vars::XDG_STATE_HOME)
        .or_else(|| Some(folder(env_vars::HOME)?.join(".local/state")))?;
    Some(state.join("eval").join("history"))
}
