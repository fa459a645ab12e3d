//! Paths that files of a dataset name: each stays in the folder of the file that names it, also after links are followed.

use std::io;
use std::path::{Component, Path, PathBuf};

/// A path that leaves its folder. The data of others is not a way to the other files of this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Outside {
    /// The path itself is absolute or contains `..`.
    #[error("expected a relative path inside the folder of its file")]
    Path,
    /// A link on the way leads out.
    #[error(
        "it links to {}; expected a path inside the folder of its file, also after links",
        .0.display()
    )]
    Link(PathBuf),
}

/// Returns the path of what a file in `folder` names. What does not exist is left for its reader to report.
///
/// # Errors
/// [`Outside`], where it is not in the folder.
pub(crate) fn contained(folder: &Path, name: &Path) -> Result<PathBuf, Outside> {
    let stays = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !name.components().all(stays) {
        return Err(Outside::Path);
    }
    let path = folder.join(name);
    check_links(folder, &path)?;
    Ok(path)
}

/// Checks that a path in a folder does not leave it by a link.
///
/// # Errors
/// [`Outside::Link`], where it does.
pub(crate) fn check_links(folder: &Path, path: &Path) -> Result<(), Outside> {
    // The folder of a file that is named without one.
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(resolved), Ok(folder)) if resolved.starts_with(&folder) => Ok(()),
        (Ok(resolved), _) => Err(Outside::Link(resolved)),
        (Err(error), _) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        (Err(_), _) => Err(Outside::Link(path.to_owned())),
    }
}
