//! Checks the paths in a dataset's files: each must stay in the folder of its file, even after
//! links are followed.

use std::io;
use std::path::{Component, Path, PathBuf};

/// Error for a path that leaves its folder. Untrusted data must not give access to other files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathEscape {
    /// The path itself is absolute or contains `..`.
    #[error("expected a relative path inside the folder of its file")]
    Path,
    /// A link in the path leads out of the folder.
    #[error(
        "it links to {}; expected a path inside the folder of its file, also after links",
        .0.display()
    )]
    Link(PathBuf),
}

/// Resolves a path that a file in `folder` contains. A missing target is an error only
/// when it is opened.
///
/// # Errors
/// Returns [`PathEscape`] if the path leaves the folder.
pub(crate) fn contained(folder: &Path, name: &Path) -> Result<PathBuf, PathEscape> {
    let stays = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !name.components().all(stays) {
        return Err(PathEscape::Path);
    }
    let path = folder.join(name);
    check_links(folder, &path)?;
    Ok(path)
}

/// Checks that a path in a folder does not leave it through a link.
///
/// # Errors
/// Returns [`PathEscape::Link`] if a link leads out of the folder.
pub(crate) fn check_links(folder: &Path, path: &Path) -> Result<(), PathEscape> {
    // The parent of a bare file name is the empty path.
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(resolved), Ok(folder)) if resolved.starts_with(&folder) => Ok(()),
        (Ok(resolved), _) => Err(PathEscape::Link(resolved)),
        (Err(error), _) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        (Err(_), _) => Err(PathEscape::Link(path.to_owned())),
    }
}
