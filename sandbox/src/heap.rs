//! The heap limit of an isolate. Exceeding it stops execution without destroying the isolate.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use deno_core::v8;

/// Bytes by which the limit is raised at a time until code has stopped. Until then, no allocation
/// may fail, because a failure inside the engine's parser crashes the process. V8 may make a single
/// allocation of up to 1 GB, and ends the process if the step is smaller.
const STEP: usize = if cfg!(feature = "v8") { 1280 } else { 64 } << 20;
/// Maximum total by which the limit is raised. Beyond it, code outside the engine ends the worker
/// process. On V8, a raise is never refused, because V8 would abort the process with every session
/// on its other threads.
const MAX_RAISE: usize = if cfg!(feature = "v8") {
    usize::MAX
} else {
    512 << 20
};
/// Bytes granted to a cell so that it can free memory when values of earlier cells fill the heap.
const MIN_HEADROOM: usize = 16 << 20;

/// Bytes by which the heap limits of this process's isolates were raised for contexts.
static GRANTED_TO_CONTEXTS: AtomicU64 = AtomicU64::new(0);

/// Returns the bytes by which heap limits in this process were raised for contexts, including those
/// of ended sessions.
pub(crate) fn allowed_for_contexts() -> u64 {
    GRANTED_TO_CONTEXTS.load(Ordering::SeqCst)
}

/// Heap limit of one isolate. Must outlive the isolate, which points to a part of it.
pub(crate) struct Heap {
    limit: usize,
    /// The limit, or a higher value if more memory was in use when the limit was armed.
    armed_at: usize,
    armed: bool,
    /// State that the engine points to while the limit is armed.
    reached: Box<LimitState>,
}

/// State of the callback that runs when the limit is reached.
struct LimitState {
    isolate: v8::IsolateHandle,
    overflowed: Arc<AtomicBool>,
    /// The armed limit. V8 only accepts limits below its current one. Therefore, once the limit has
    /// been raised for a context, V8 calls back before the heap reaches this value.
    at: AtomicUsize,
    /// Maximum to which the limit may be raised.
    most: AtomicUsize,
}

impl Heap {
    /// Creates a limit in bytes, not armed yet.
    pub fn new(limit: u64, isolate: v8::IsolateHandle) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            limit,
            armed_at: limit,
            armed: false,
            reached: Box::new(LimitState {
                isolate,
                overflowed: Arc::default(),
                at: AtomicUsize::new(limit),
                most: AtomicUsize::new(limit),
            }),
        }
    }

    /// Arms the limit above the memory in use, which the engine measures by walking the whole heap.
    pub fn arm_above_use(&mut self, isolate: &mut v8::Isolate) {
        let used = isolate.get_heap_statistics().total_heap_size();
        let above = used.saturating_add(used / 4).saturating_add(MIN_HEADROOM);
        self.armed_at = self.limit.max(above);
        self.arm(isolate);
    }

    /// Arms the limit at `armed_at`.
    fn arm(&mut self, isolate: &mut v8::Isolate) {
        let most = self.armed_at.saturating_add(MAX_RAISE);
        self.reached.at.store(self.armed_at, Ordering::SeqCst);
        self.reached.most.store(most, Ordering::SeqCst);
        let data = (&raw const *self.reached).cast_mut().cast::<c_void>();
        // Removing the callback is the only way to set the engine's limit, so exactly one callback
        // must be installed.
        if !self.armed {
            isolate.add_near_heap_limit_callback(on_limit, data);
        }
        isolate.remove_near_heap_limit_callback(on_limit, self.armed_at);
        isolate.add_near_heap_limit_callback(on_limit, data);
        self.armed = true;
    }

    /// Raises the limit by `bytes` and arms it.
    pub fn allow(&mut self, bytes: usize, isolate: &mut v8::Isolate) {
        self.limit = self.limit.saturating_add(bytes);
        self.armed_at = self.armed_at.saturating_add(bytes);
        GRANTED_TO_CONTEXTS.fetch_add(bytes as u64, Ordering::SeqCst);
        self.arm(isolate);
    }

    /// Lowers the limit by bytes that [`Heap::allow`] granted, and arms it.
    pub fn take_back(&mut self, bytes: usize, isolate: &mut v8::Isolate) {
        self.limit = self.limit.saturating_sub(bytes);
        self.armed_at = self.armed_at.saturating_sub(bytes);
        GRANTED_TO_CONTEXTS.fetch_sub(bytes as u64, Ordering::SeqCst);
        self.arm(isolate);
    }

    /// Returns the shared flag that is set when the heap exceeds its limit, so that the watchdog
    /// can also set it and the job loop can check it.
    pub fn overflow_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.reached.overflowed)
    }

    /// Whether the heap has exceeded its limit since the last call of this function.
    pub fn take_overflow(&self, isolate: &mut v8::Isolate) -> bool {
        self.reached.overflowed.swap(false, Ordering::SeqCst) || self.exceeds_unreported(isolate)
    }

    /// Whether the heap exceeds the limit although the engine did not report it. V8 allows one last
    /// allocation of any size before it checks again; without this check, the next cell would be
    /// stopped instead.
    fn exceeds_unreported(&self, isolate: &mut v8::Isolate) -> bool {
        let is_above = |isolate: &mut v8::Isolate| {
            isolate.get_heap_statistics().used_heap_size() > self.armed_at
        };
        cfg!(feature = "v8") && is_above(isolate) && {
            // Exclude garbage.
            isolate.low_memory_notification();
            is_above(isolate)
        }
    }
}

thread_local! {
    static PAUSED: Cell<bool> = const { Cell::new(false) };
}

/// Sets whether reaching the limit does not terminate the calling thread's code. It is still
/// recorded; the caller must terminate the code.
pub(crate) fn set_paused(is_paused: bool) {
    PAUSED.set(is_paused);
}

extern "C" fn on_limit(data: *mut c_void, current: usize, _: usize) -> usize {
    // SAFETY: `data` points to the `LimitState` of a `Heap`, which outlives the isolate and changes
    // only through atomics.
    let reached = unsafe { &*data.cast::<LimitState>() };
    #[cfg(feature = "v8")]
    if current < reached.at.load(Ordering::SeqCst)
        && reached.isolate.request_interrupt(recheck_limit, data)
    {
        return current.saturating_add(STEP);
    }
    reached.overflowed.store(true, Ordering::SeqCst);
    if !PAUSED.get() {
        reached.isolate.terminate_execution();
    }
    if current < reached.most.load(Ordering::SeqCst) {
        current.saturating_add(STEP)
    } else {
        current
    }
}

/// Checks the heap after the allocation for which [`on_limit`] raised V8's limit. Stops execution
/// if the heap exceeds the armed limit, and otherwise lowers V8's limit to the armed one.
#[cfg(feature = "v8")]
unsafe extern "C" fn recheck_limit(mut isolate: v8::UnsafeRawIsolatePtr, data: *mut c_void) {
    // SAFETY: V8 passes the isolate that it runs in, and the same data as to `on_limit`.
    let (isolate, reached) = unsafe {
        (
            v8::Isolate::ref_from_raw_isolate_ptr_mut_unchecked(&mut isolate),
            &*data.cast::<LimitState>(),
        )
    };
    let at = reached.at.load(Ordering::SeqCst);
    if isolate.get_heap_statistics().used_heap_size() > at {
        reached.overflowed.store(true, Ordering::SeqCst);
        reached.isolate.terminate_execution();
        return;
    }
    isolate.remove_near_heap_limit_callback(on_limit, at);
    isolate.add_near_heap_limit_callback(on_limit, data);
}
