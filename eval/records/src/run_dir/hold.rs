//! One process at a time: the lock on a run directory.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::links::without_links;
use super::{HOLDER, LOCK, RunDirError, atomic};

/// Who works on a run: `running.json`, for people. What counts is the lock of the operating system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// The machine's name; empty where the system does not report it.
    pub host: String,
    /// Since when, in RFC 3339.
    pub since: String,
}

impl Holder {
    fn this_process() -> Self {
        let host = ["/proc/sys/kernel/hostname", "/etc/hostname"]
            .iter()
            .find_map(|path| fs::read_to_string(path).ok())
            .unwrap_or_default();
        Self {
            pid: std::process::id(),
            host: host.trim().to_owned(),
            since: Timestamp::now().to_string(),
        }
    }
}

/// A run directory that no other process can work on while this is there.
///
/// The lock is the operating system's, on `lock.json`, which is never replaced. It goes with its process, however that
/// ends, so a killed run leaves nothing behind that would have to be cleaned up.
#[derive(Debug)]
pub(super) struct Held {
    _lock: File,
    note: PathBuf,
}

impl Held {
    /// Takes the lock and leaves a note of who has it.
    ///
    /// # Errors
    /// [`RunDirError::Held`] if another process has it; [`RunDirError::Lock`] where files cannot be locked.
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
                    holder: read(&note),
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
        // The note without the lock means nothing, so that one that stays does no harm.
        let _ = fs::remove_file(&self.note);
    }
}

/// Whether a process works on the run in a folder right now. If that is unknown, the answer is no.
pub(super) fn is_held(folder: &Path) -> bool {
    let lock = File::open(folder.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// The note; none in the moment between the lock and the note.
fn read(note: &Path) -> Option<Holder> {
    serde_json::from_slice(&fs::read(note).ok()?).ok()
}
