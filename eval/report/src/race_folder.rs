//! Folders of races.

use std::fs;
use std::path::{Path, PathBuf};

/// File name of a race's decision log, in the folder of its sweep.
pub const RACE_LOG: &str = "race.jsonl";

/// Returns the folder of the race that a run is a cell of, or `None` if it is not a cell of a race.
/// `path` is a run directory or a file in it.
pub(crate) fn race_of(path: &Path) -> Option<PathBuf> {
    let path = fs::canonicalize(path).ok()?;
    let run = if path.is_dir() {
        path.as_path()
    } else {
        path.parent()?
    };
    let folder = run.parent()?;
    folder.join(RACE_LOG).is_file().then(|| folder.to_owned())
}
