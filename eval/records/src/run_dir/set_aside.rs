//! Moves trajectories to `abandoned/` and `superseded/`, where each gets an unused name.

use std::fs;
use std::path::{Path, PathBuf};

use super::{RunDirError, TRAJECTORIES, atomic, name};

/// Moves trajectories to another folder of the run under unused names. Each move is atomic, so no
/// file is duplicated or lost if the process dies between two moves.
pub(super) fn move_to_unused_names(
    folder: &Path,
    to: &str,
    paths: &[PathBuf],
) -> Result<(), RunDirError> {
    if paths.is_empty() {
        return Ok(());
    }
    let to = folder.join(to);
    let moved = fs::create_dir_all(&to).and_then(|()| {
        for path in paths {
            fs::rename(path, unused_path(&to, path))?;
        }
        atomic::sync_folder(&to)?;
        atomic::sync_folder(&folder.join(TRAJECTORIES))
    });
    moved.map_err(|reason| RunDirError::Write { path: to, reason })
}

/// Returns an unused path in the folder `to`: `s-1.2.jsonl` becomes `s-1.2~1.jsonl`, or a name with
/// a higher number. Original names never have this form.
pub(super) fn unused_path(to: &Path, path: &Path) -> PathBuf {
    let name = file_name(path);
    let stem = name.strip_suffix(".jsonl").unwrap_or(&name);
    (1..u64::MAX)
        .map(|number| to.join(format!("{stem}~{number}.jsonl")))
        .find(|path| !path.exists())
        .unwrap_or_else(|| to.join(&name))
}

/// Returns the name that a file had before [`move_to_unused_names`], in the current naming scheme.
pub(super) fn original(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let whole = name.strip_suffix(".jsonl").unwrap_or(&name);
    let stem = whole.rsplit_once('~').map_or(whole, |(stem, _)| stem);
    name::current(&format!("{stem}.jsonl"))
}

/// Returns the name of a trajectory's file in the current naming scheme.
pub(super) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name::current(&name.to_string_lossy())
}
