//! The lock on a run directory, which only one process can hold at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::links::without_links;
use super::{HOLDER, Holder, LOCK, RunDirError, atomic};

/// A lock on a run directory, held while this value lives.
///
/// It is the operating system's lock on `lock.json`, a file that is never replaced. The system
/// releases the lock when the process ends for any reason, so a killed run requires no cleanup.
#[derive(Debug)]
pub(super) struct Held {
    _lock: File,
    note: PathBuf,
}

impl Held {
    /// Takes the lock and writes `running.json`.
    ///
    /// # Errors
    /// Returns [`RunDirError::Held`] if another process holds the lock, [`RunDirError::Lock`] if
    /// `lock.json` cannot be opened or locked, and [`RunDirError::Write`] if `running.json` cannot
    /// be written.
    pub(super) fn take(folder: &Path) -> Result<Self, RunDirError> {
        let path = folder.join(LOCK);
        let opened = without_links(OpenOptions::new().read(true).write(true)).open(&path);
        let cannot = |reason| RunDirError::Lock {
            path: path.clone(),
            reason,
        };
        let lock = opened.map_err(cannot)?;
        let note = folder.join(HOLDER);
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(RunDirError::Held {
                    path: folder.to_owned(),
                    holder: Holder::read(&note),
                });
            }
            Err(TryLockError::Error(reason)) => return Err(cannot(reason)),
        }
        atomic::write_json(&note, &Holder::this_process())?;
        Ok(Self { _lock: lock, note })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A leftover `running.json` is harmless, because only the lock counts.
        let _ = fs::remove_file(&self.note);
    }
}

/// Whether a process is working on the run in a folder. Returns `false` if that is unknown.
pub(super) fn is_held(folder: &Path) -> bool {
    let lock = File::open(folder.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
