//! The folder for what can be fetched or made again.

use std::env;
use std::path::PathBuf;

/// `eval` among the user's caches: in `XDG_CACHE_HOME`, else in `.cache` of `HOME`. None if neither is set.
pub(super) fn folder() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let caches = set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(set("HOME")?).join(".cache")))?;
    Some(caches.join("eval"))
}

/// Where the loaded engine is kept from one start of the program to the next.
pub fn snapshot_file() -> Option<PathBuf> {
    folder().map(|folder| folder.join("engine-snapshot"))
}
