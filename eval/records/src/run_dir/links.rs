//! Opens the files of a run without following links.
//!
//! A run folder may come from another person. A link in it could redirect writes to any file of the
//! user.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use super::RunDirError;

/// Makes opening fail if the last component of the path is a link. Has no effect on systems other
/// than Unix.
pub(super) fn without_links(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options
}

/// Checks that neither the entries of a run's folder nor those of its subfolders are links.
///
/// # Errors
/// Returns [`RunDirError::Link`] for the first link, and [`RunDirError::Read`] if a folder cannot
/// be read.
pub(super) fn check(folder: &Path) -> Result<(), RunDirError> {
    let cannot = |reason: io::Error| RunDirError::cannot_read(folder, reason);
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
