//! The folder for data that can be fetched or generated again.

use std::env;
use std::path::PathBuf;

/// Returns the folder `eval` in the user's caches: in `XDG_CACHE_HOME`, else in `.cache` of `HOME`.
/// `None` if neither is set.
pub(super) fn folder() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let caches = set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(set("HOME")?).join(".cache")))?;
    Some(caches.join("eval"))
}

/// Returns the file of the engine snapshot that is reused between starts of the program.
pub fn snapshot_file() -> Option<PathBuf> {
    folder().map(|folder| folder.join("engine-snapshot"))
}
