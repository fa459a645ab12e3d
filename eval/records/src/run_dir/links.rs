//! Files of a run are opened without following links.
//!
//! A run folder may come from someone else. A link in it could lead what is written elsewhere: to a file
//! of the user's that has nothing to do with the run.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use super::RunDirError;

/// Makes opening fail if the last part of the path is a link.
pub(super) fn without_links(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options
}

/// Checks that neither a folder of a run nor what is in its subfolders is a link.
///
/// # Errors
/// [`RunDirError::Link`] for the first link, [`RunDirError::Read`] for a folder that cannot be read.
pub(super) fn check(folder: &Path) -> Result<(), RunDirError> {
    let cannot = |reason: io::Error| RunDirError::Read {
        path: folder.to_owned(),
        reason,
    };
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let kind = entry.file_type().map_err(cannot)?;
        if kind.is_symlink() {
            return Err(RunDirError::Link { path: entry.path() });
        }
        if kind.is_dir() {
            check(&entry.path())?;
        }
    }
    Ok(())
}
