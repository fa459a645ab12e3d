//! A snapshot of the engine with the library loaded: created once, cached in a file for later
//! processes, and passed to workers.
//!
//! Starting a session from a snapshot takes a fraction of the time of loading the library, and
//! reading the file takes a tenth of the time of creating the snapshot. A file that is missing,
//! damaged or written by another program is replaced. If the file cannot be written, nothing is
//! cached.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::boot::{load, set_flags, sources};
use crate::engine::make_snapshot;
use crate::limits::{Limits, THREAD_STACK};
use crate::session::StartError;

static SNAPSHOT: OnceLock<Result<Box<[u8]>, String>> = OnceLock::new();
static FILE: OnceLock<PathBuf> = OnceLock::new();

/// Length in bytes of the digest at the beginning of a cached file.
const DIGEST: usize = 32;

/// Caches the snapshot of this process's sandboxes in a file, and reads it from the file if the
/// same program wrote it. Must be called before the first sandbox; only the first call has an
/// effect.
pub fn keep_snapshot_in(file: PathBuf) {
    let _ = FILE.set(file);
}

/// Returns the snapshot. The first call reads or creates it.
///
/// # Errors
/// [`StartError::Boot`] with the library file that does not load.
pub(crate) fn snapshot() -> Result<&'static [u8], StartError> {
    let made = SNAPSHOT.get_or_init(|| {
        let place = FILE.get().zip(program());
        if let Some((file, program)) = &place
            && let Some(kept) = read(file, program)
        {
            return Ok(kept);
        }
        let made = create_on_separate_thread()?;
        if let Some((file, program)) = &place {
            keep(file, program, &made);
        }
        Ok(made)
    });
    made.as_deref()
        .map_err(|file| StartError::Boot(file.clone()))
}

/// Uses a snapshot that another process of the same program created. Must be called before the
/// first session.
pub(crate) fn use_snapshot(bytes: Vec<u8>) {
    // A snapshot that this process has already created is equivalent.
    let _ = SNAPSHOT.set(Ok(bytes.into()));
}

/// Returns a digest of this build of the program: the engine accepts only snapshots that the same
/// build wrote.
fn program() -> Option<Vec<u8>> {
    let file = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let changed = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let mut program = Sha256::new();
    for (name, source) in sources() {
        program.update(name);
        program.update([0]);
        program.update(source);
        program.update([0]);
    }
    program.update(file.len().to_le_bytes());
    program.update(changed.as_nanos().to_le_bytes());
    Some(program.finalize().to_vec())
}

fn digest(program: &[u8], snapshot: &[u8]) -> [u8; DIGEST] {
    let digest = Sha256::new().chain_update(program).chain_update(snapshot);
    digest.finalize().into()
}

fn read(file: &Path, program: &[u8]) -> Option<Box<[u8]>> {
    let bytes = fs::read(file).ok()?;
    let (kept, snapshot) = bytes.split_at_checked(DIGEST)?;
    (kept == digest(program, snapshot)).then(|| snapshot.into())
}

/// Writes the file atomically, because another process may be reading it.
fn keep(file: &Path, program: &[u8], snapshot: &[u8]) {
    let kept = || {
        let folder = file.parent()?;
        fs::create_dir_all(folder).ok()?;
        let mut new = NamedTempFile::new_in(folder).ok()?;
        new.write_all(&digest(program, snapshot)).ok()?;
        new.write_all(snapshot).ok()?;
        new.persist(file).ok()
    };
    // On failure, the next process creates its own snapshot.
    let _ = kept();
}

/// Creates the snapshot on a separate thread, because an isolate leaves state behind on its thread.
fn create_on_separate_thread() -> Result<Box<[u8]>, String> {
    let make = || {
        set_flags(&Limits::default());
        make_snapshot(load)
    };
    let thread = std::thread::Builder::new()
        .stack_size(THREAD_STACK)
        .spawn(make);
    let joined = thread.map_err(|error| error.to_string())?.join();
    joined.unwrap_or_else(|_| Err("the engine panicked while it loaded the library".to_owned()))
}
