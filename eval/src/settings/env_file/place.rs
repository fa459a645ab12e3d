//! Finds the file `.env`, decides whether to trust it, and confines the paths that it names to its
//! folder.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::settings::places::lies_inside;

/// Maximum size of `.env` in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Result of searching for `.env`.
pub(super) enum Found {
    None,
    /// Path of an ignored file, and the reason.
    Ignored(PathBuf, String),
    /// Path and contents of a trusted file.
    Text(PathBuf, Vec<u8>),
}

/// Searches for `.env` in a folder and its parents, up to the project root, which is the nearest
/// folder with `.git`. Without a project root, searches only the folder itself.
///
/// # Errors
/// The path of a file that cannot be read, and the reason.
pub(super) fn find(here: &Path) -> Result<Found, (PathBuf, io::Error)> {
    let mut candidates = here.ancestors().map(|folder| folder.join(".env"));
    let Some(path) = candidates.find(|path| path.is_file()) else {
        return Ok(Found::None);
    };
    let root = here
        .ancestors()
        .find(|folder| folder.join(".git").exists())
        .unwrap_or(here);
    let ignored = |why: String| Ok(Found::Ignored(path.clone(), why));
    if !path.starts_with(root) {
        return ignored(format!(
            "it is above {}, the root of this project",
            root.display()
        ));
    }
    let failed = |error| (path.clone(), error);
    let folder = path.parent().unwrap_or(here);
    if !lies_inside(folder, &path) {
        return ignored("it is a link to a file outside its folder".to_owned());
    }
    let file = File::open(&path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let user = rustix::process::geteuid().as_raw();
    if let Some(why) = distrust(metadata.uid(), metadata.mode(), user) {
        return ignored(why);
    }
    if metadata.len() > MAX_BYTES {
        return ignored(format!("it is larger than {MAX_BYTES} bytes"));
    }
    let mut text = Vec::new();
    file.take(MAX_BYTES)
        .read_to_end(&mut text)
        .map_err(failed)?;
    Ok(Found::Text(path, text))
}

/// Returns why a file with this owner and mode is not trusted: it belongs to another user, except
/// root, or everyone can write to it. Returns `None` if it is trusted.
fn distrust(owner: u32, mode: u32, user: u32) -> Option<String> {
    if owner != user && owner != 0 {
        Some(format!("it belongs to another user (uid {owner})"))
    } else if mode & 0o002 != 0 {
        Some("every user can write to it; fix this with `chmod o-w`".to_owned())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distrusts_files_of_other_users_or_writable_by_everyone() {
        let rows = [
            (0, 0o644, 0, true),
            (0, 0o644, 1000, true),
            (1000, 0o600, 1000, true),
            (1000, 0o664, 1000, true),
            (1001, 0o600, 1000, false),
            (1000, 0o600, 0, false),
            (1000, 0o602, 1000, false),
            (0, 0o666, 1000, false),
        ];
        for (owner, mode, user, counts) in rows {
            let why = distrust(owner, mode, user);
            assert_eq!(why.is_none(), counts, "{owner} {mode:o} {user}: {why:?}");
        }
    }
}
