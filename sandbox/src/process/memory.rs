//! Watches a worker's resident memory, because the engine's own limit covers only a part of it.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::exit;
use crate::heap::allowed_for_contexts;
use crate::limits::Limits;

/// Resident memory of a worker with an empty heap.
const BASE_BYTES: u64 = 100 << 20;
/// Additional memory granted each time code is stopped because it uses too much memory.
const PATIENCE_BYTES: u64 = 64 << 20;

/// Returns a function that checks whether the process uses more memory than is allowed for the
/// heaps and contexts of its sessions. If so, running code must be stopped. Above a second limit,
/// the function ends the process, because an engine that runs out of memory crashes at best.
/// `sessions` is the number of sessions; 0 counts as 1.
///
/// Returns `None` on systems where a process cannot read its own size.
///
/// Must be called before the process is confined.
pub(super) fn watch(
    limits: &Limits,
    sessions: Arc<AtomicU64>,
) -> Option<impl FnMut() -> bool + Send + use<>> {
    let resident = Resident::open()?;
    let (heap, end_at) = (limits.heap_bytes, limits.process_bytes);
    let mut patience = 0;
    Some(move || {
        let sessions = sessions.load(Ordering::SeqCst).max(1);
        let resident = resident.bytes().unwrap_or(0);
        if resident > end_at.saturating_add((sessions - 1) * heap) {
            exit::now(exit::MEMORY);
        }
        let heaps = sessions * (heap + heap / 4);
        let stop_at = BASE_BYTES + heaps + 2 * allowed_for_contexts() + patience;
        if resident > stop_at {
            // Values of earlier cells remain, so the next cell gets additional memory to free them.
            patience += PATIENCE_BYTES;
            return true;
        }
        if resident + patience < stop_at {
            patience = 0;
        }
        false
    })
}

/// Resident memory of this process, read from a file that was opened before confinement.
struct Resident {
    statm: File,
    page: u64,
}

impl Resident {
    fn open() -> Option<Self> {
        Some(Self {
            statm: File::open("/proc/self/statm").ok()?,
            page: rustix::param::page_size() as u64,
        })
    }

    fn bytes(&self) -> Option<u64> {
        // The file contains seven numbers of at most 20 digits.
        let mut text = [0; 160];
        let length = self.statm.read_at(&mut text, 0).ok()?;
        let text = std::str::from_utf8(text.get(..length)?).ok()?;
        let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
        Some(pages * self.page)
    }
}
