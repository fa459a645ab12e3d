//! The lock on a run directory, which only one process can hold at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::links::without_links;
use super::{HOLDER, LOCK, RunDirError, atomic};

/// Content of `running.json`, which shows people which process is working on the run. The file has
/// no effect: only the operating system's lock excludes other processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// Host name; empty if the system does not report it.
    pub host: String,
    /// Time when the process locked the run, in RFC 3339.
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
        // A leftover `running.json` is harmless, because only the lock counts.
        let _ = fs::remove_file(&self.note);
    }
}

/// Whether a process is working on the run in a folder. Returns `false` if that is unknown.
pub(super) fn is_held(folder: &Path) -> bool {
    let lock = File::open(folder.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Reads `running.json`. Returns `None` if the other process has taken the lock but has not written
/// the file yet.
fn read(note: &Path) -> Option<Holder> {
    serde_json::from_slice(&fs::read(note).ok()?).ok()
}
