//! Limits the memory of array buffers on V8. The heap limit does not cover them, so they have their
//! own limit of the same size.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use deno_core::v8::{Allocator, RustAllocatorVtable, UniqueRef, new_rust_allocator};

/// Memory limit and current use of one isolate's array buffers, in bytes.
struct Buffers {
    limit: usize,
    used: AtomicUsize,
}

/// Creates an allocator that limits one isolate's array buffers to `limit` bytes. For an allocation
/// beyond the limit, V8 collects garbage, and throws a `RangeError` if that does not help.
pub(crate) fn allocator(limit: usize) -> UniqueRef<Allocator> {
    static FUNCTIONS: RustAllocatorVtable<Buffers> = RustAllocatorVtable {
        allocate: zeroed,
        allocate_uninitialized: zeroed,
        free,
        drop: forget,
    };
    let used = AtomicUsize::new(0);
    let buffers = Box::into_raw(Box::new(Buffers { limit, used }));
    // SAFETY: the functions expect a pointer to this type, and `forget` is called last.
    unsafe { new_rust_allocator(buffers, &FUNCTIONS) }
}

extern "C" fn zeroed(buffers: &Buffers, bytes: usize) -> *mut c_void {
    let before = buffers.used.fetch_add(bytes, Ordering::SeqCst);
    let memory = if before.saturating_add(bytes) > buffers.limit {
        null_mut()
    } else {
        // SAFETY: any size may be requested; zero is rounded up to one.
        unsafe { libc::calloc(bytes.max(1), 1) }
    };
    if memory.is_null() {
        buffers.used.fetch_sub(bytes, Ordering::SeqCst);
    }
    memory
}

extern "C" fn free(buffers: &Buffers, memory: *mut c_void, bytes: usize) {
    buffers.used.fetch_sub(bytes, Ordering::SeqCst);
    // SAFETY: `zeroed` returned this pointer to `bytes` bytes.
    unsafe { libc::free(memory) };
}

extern "C" fn forget(buffers: *const Buffers) {
    // SAFETY: `allocator` created this pointer, and nothing uses it after this call.
    drop(unsafe { Box::from_raw(buffers.cast_mut()) });
}
