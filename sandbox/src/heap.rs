//! The heap's limit: over it, execution is stopped in a way that the isolate survives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use deno_core::{JsRuntime, v8};

/// Steps in which the limit gives way while code is being stopped, in bytes: an allocation that fails inside
/// the engine's parser is a crash, so none may fail.
const STEP: usize = 64 << 20;
/// How far it gives way at most. Beyond, the process is ended from outside.
const GIVES_WAY: usize = 512 << 20;
/// Room that a cell gets which is to free memory, when the heap is full of what earlier cells keep.
const ROOM: usize = 16 << 20;

/// Bytes that the contexts of this process's isolates were allowed, beyond the limit.
static ALLOWED: AtomicU64 = AtomicU64::new(0);

/// Bytes that contexts were allowed in this process, ended sessions included.
pub(crate) fn allowed_for_contexts() -> u64 {
    ALLOWED.load(Ordering::SeqCst)
}

/// One isolate's heap limit.
pub(crate) struct Heap {
    limit: usize,
    /// The limit, or above it if that much was in use when it was armed.
    armed_at: usize,
    isolate: v8::IsolateHandle,
    overflowed: Arc<AtomicBool>,
}

impl Heap {
    /// A limit of so many bytes, not armed yet.
    pub fn new(limit: u64, isolate: v8::IsolateHandle) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            limit,
            armed_at: limit,
            isolate,
            overflowed: Arc::default(),
        }
    }

    /// Arms the limit, above what is in use. The engine goes through the whole heap to tell what that is.
    pub fn arm_above_use(&mut self, runtime: &mut JsRuntime) {
        let used = runtime.v8_isolate().get_heap_statistics().total_heap_size();
        let above = used.saturating_add(used / 4).saturating_add(ROOM);
        self.armed_at = self.limit.max(above);
        self.arm(runtime);
    }

    /// Arms the limit where it was.
    fn arm(&mut self, runtime: &mut JsRuntime) {
        let limit = self.armed_at;
        set(limit, runtime);
        let (isolate, overflowed) = (self.isolate.clone(), Arc::clone(&self.overflowed));
        runtime.add_near_heap_limit_callback(move |current, _| {
            overflowed.store(true, Ordering::SeqCst);
            isolate.terminate_execution();
            if current < limit.saturating_add(GIVES_WAY) {
                current.saturating_add(STEP)
            } else {
                current
            }
        });
    }

    /// Raises the limit by so many bytes.
    pub fn allow(&mut self, bytes: usize, runtime: &mut JsRuntime) {
        self.limit = self.limit.saturating_add(bytes);
        self.armed_at = self.armed_at.saturating_add(bytes);
        ALLOWED.fetch_add(bytes as u64, Ordering::SeqCst);
        self.arm(runtime);
    }

    /// Lowers the limit again, by bytes that were allowed.
    pub fn take_back(&mut self, bytes: usize, runtime: &mut JsRuntime) {
        self.limit = self.limit.saturating_sub(bytes);
        self.armed_at = self.armed_at.saturating_sub(bytes);
        ALLOWED.fetch_sub(bytes as u64, Ordering::SeqCst);
        self.arm(runtime);
    }

    /// Where an overflow is noted, also by others that see one.
    pub fn overflow_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.overflowed)
    }

    /// Whether the heap grew over its limit since the last call.
    pub fn take_overflow(&self) -> bool {
        self.overflowed.swap(false, Ordering::SeqCst)
    }
}

/// Sets the engine's own limit. It is set by taking a callback away, so there must be one.
fn set(limit: usize, runtime: &mut JsRuntime) {
    runtime.add_near_heap_limit_callback(|current, _| current);
    runtime.remove_near_heap_limit_callback(limit);
}
