//! Folders of races.

use std::fs;
use std::path::{Path, PathBuf};

/// File name of a race's decision log, in the folder of its sweep.
pub const RACE_LOG: &str = "race.jsonl";

/// Returns the folder of the race that a run is a cell of, or `None` if it is not a cell of a race.
/// `path` is a run directory or a file in it.
pub(crate) fn race_of(path: &Path) -> Option<PathBuf> {
    let run = if path.is_dir() { path } else { path.parent()? };
    let real = fs::canonicalize(run).ok()?;
    let real = real.parent()?;
    if !real.join(RACE_LOG).is_file() {
        return None;
    }
    // Prefer a relative path to the folder, as the user wrote it.
    let folder = match run.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let is_same = fs::canonicalize(folder).is_ok_and(|folder| folder == real);
    Some(if is_same { folder } else { real }.to_owned())
}
