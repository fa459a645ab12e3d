//! The heap's limit: over it, execution is stopped in a way that the isolate survives.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use deno_core::v8;

/// Steps in which the limit gives way while code is being stopped, in bytes: an allocation that fails inside
/// the engine's parser is a crash, so none may fail. V8 makes any one allocation, of up to 1 GB, and then ends its process if
/// the step does not cover it.
const STEP: usize = if cfg!(feature = "v8") { 1280 } else { 64 } << 20;
/// How far it gives way at most. Beyond, the process is ended from outside. V8 would end it from inside, with all that runs
/// on its other threads, so it is never refused.
const GIVES_WAY: usize = if cfg!(feature = "v8") {
    usize::MAX
} else {
    512 << 20
};
/// Room that a cell gets which is to free memory, when the heap is full of what earlier cells keep.
const ROOM: usize = 16 << 20;

/// Bytes that the contexts of this process's isolates were allowed, beyond the limit.
static ALLOWED: AtomicU64 = AtomicU64::new(0);

/// Bytes that contexts were allowed in this process, ended sessions included.
pub(crate) fn allowed_for_contexts() -> u64 {
    ALLOWED.load(Ordering::SeqCst)
}

/// One isolate's heap limit. It outlives the isolate.
pub(crate) struct Heap {
    limit: usize,
    /// The limit, or above it if that much was in use when it was armed.
    armed_at: usize,
    armed: bool,
    /// What the engine has a pointer to while the limit is armed.
    reached: Box<Reached>,
}

/// What is done when the limit is reached.
struct Reached {
    isolate: v8::IsolateHandle,
    overflowed: Arc<AtomicBool>,
    /// The limit. V8 can only be told a lower one than it has, so it comes here below it once contexts were allowed.
    at: AtomicUsize,
    /// How far the limit gives way.
    most: AtomicUsize,
}

impl Heap {
    /// A limit of so many bytes, not armed yet.
    pub fn new(limit: u64, isolate: v8::IsolateHandle) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            limit,
            armed_at: limit,
            armed: false,
            reached: Box::new(Reached {
                isolate,
                overflowed: Arc::default(),
                at: AtomicUsize::new(limit),
                most: AtomicUsize::new(limit),
            }),
        }
    }

    /// Arms the limit, above what is in use. To find out how much that is, the engine walks the whole heap.
    pub fn arm_above_use(&mut self, isolate: &mut v8::Isolate) {
        let used = isolate.get_heap_statistics().total_heap_size();
        let above = used.saturating_add(used / 4).saturating_add(ROOM);
        self.armed_at = self.limit.max(above);
        self.arm(isolate);
    }

    /// Arms the limit where it was.
    fn arm(&mut self, isolate: &mut v8::Isolate) {
        let most = self.armed_at.saturating_add(GIVES_WAY);
        self.reached.at.store(self.armed_at, Ordering::SeqCst);
        self.reached.most.store(most, Ordering::SeqCst);
        let data = (&raw const *self.reached).cast_mut().cast::<c_void>();
        // The engine's own limit is set by taking the callback away, so there must be one, and there may be no second.
        if !self.armed {
            isolate.add_near_heap_limit_callback(on_limit, data);
        }
        isolate.remove_near_heap_limit_callback(on_limit, self.armed_at);
        isolate.add_near_heap_limit_callback(on_limit, data);
        self.armed = true;
    }

    /// Raises the limit by so many bytes.
    pub fn allow(&mut self, bytes: usize, isolate: &mut v8::Isolate) {
        self.limit = self.limit.saturating_add(bytes);
        self.armed_at = self.armed_at.saturating_add(bytes);
        ALLOWED.fetch_add(bytes as u64, Ordering::SeqCst);
        self.arm(isolate);
    }

    /// Lowers the limit again, by bytes that were allowed.
    pub fn take_back(&mut self, bytes: usize, isolate: &mut v8::Isolate) {
        self.limit = self.limit.saturating_sub(bytes);
        self.armed_at = self.armed_at.saturating_sub(bytes);
        ALLOWED.fetch_sub(bytes as u64, Ordering::SeqCst);
        self.arm(isolate);
    }

    /// Where an overflow is noted, also by others that see one.
    pub fn overflow_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.reached.overflowed)
    }

    /// Whether the heap grew over its limit since the last call.
    pub fn take_overflow(&self, isolate: &mut v8::Isolate) -> bool {
        self.reached.overflowed.swap(false, Ordering::SeqCst) || self.was_passed_over(isolate)
    }

    /// Whether the heap is above the limit although the engine did not say so. V8 makes one last allocation, however large,
    /// before it looks again, and the next cell would be taken to be what grew.
    fn was_passed_over(&self, isolate: &mut v8::Isolate) -> bool {
        let is_above = |isolate: &mut v8::Isolate| {
            isolate.get_heap_statistics().used_heap_size() > self.armed_at
        };
        cfg!(feature = "v8") && is_above(isolate) && {
            // What is not in use any more does not count.
            isolate.low_memory_notification();
            is_above(isolate)
        }
    }
}

extern "C" fn on_limit(data: *mut c_void, current: usize, _: usize) -> usize {
    // SAFETY: it is of a `Heap`, which outlives the isolate, and nothing changes it but through atomics.
    let reached = unsafe { &*data.cast::<Reached>() };
    #[cfg(feature = "v8")]
    if current < reached.at.load(Ordering::SeqCst)
        && reached.isolate.request_interrupt(look_again, data)
    {
        return current.saturating_add(STEP);
    }
    reached.overflowed.store(true, Ordering::SeqCst);
    reached.isolate.terminate_execution();
    if current < reached.most.load(Ordering::SeqCst) {
        current.saturating_add(STEP)
    } else {
        current
    }
}

/// Lowers V8's limit to where it is armed, after the allocation for which it gave way: it came below the armed one, since
/// contexts were allowed meanwhile.
#[cfg(feature = "v8")]
unsafe extern "C" fn look_again(mut isolate: v8::UnsafeRawIsolatePtr, data: *mut c_void) {
    // SAFETY: V8 passes the isolate that it is called on, and the data is as in `on_limit`.
    let (isolate, reached) = unsafe {
        (
            v8::Isolate::ref_from_raw_isolate_ptr_mut_unchecked(&mut isolate),
            &*data.cast::<Reached>(),
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
