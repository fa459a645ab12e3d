//! The memory of array buffers on V8, which the limit of its heap does not count: it may be as much again.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use deno_core::v8::{Allocator, RustAllocatorVtable, UniqueRef, new_rust_allocator};

/// What the array buffers of one isolate have, in bytes.
struct Buffers {
    limit: usize,
    used: AtomicUsize,
}

/// Gives the array buffers of one isolate at most so many bytes. Beyond, V8 collects, and then throws a `RangeError`.
pub(crate) fn allocator(limit: usize) -> UniqueRef<Allocator> {
    static FUNCTIONS: RustAllocatorVtable<Buffers> = RustAllocatorVtable {
        allocate: zeroed,
        allocate_uninitialized: zeroed,
        free,
        drop: forget,
    };
    let used = AtomicUsize::new(0);
    let buffers = Box::into_raw(Box::new(Buffers { limit, used }));
    // SAFETY: the functions are of this type, and `forget` is called last.
    unsafe { new_rust_allocator(buffers, &FUNCTIONS) }
}

extern "C" fn zeroed(buffers: &Buffers, bytes: usize) -> *mut c_void {
    let before = buffers.used.fetch_add(bytes, Ordering::SeqCst);
    let memory = if before.saturating_add(bytes) > buffers.limit {
        null_mut()
    } else {
        // SAFETY: any number of bytes may be asked for; of none, one is.
        unsafe { libc::calloc(bytes.max(1), 1) }
    };
    if memory.is_null() {
        buffers.used.fetch_sub(bytes, Ordering::SeqCst);
    }
    memory
}

extern "C" fn free(buffers: &Buffers, memory: *mut c_void, bytes: usize) {
    buffers.used.fetch_sub(bytes, Ordering::SeqCst);
    // SAFETY: it came out of `zeroed`, with as many bytes.
    unsafe { libc::free(memory) };
}

extern "C" fn forget(buffers: *const Buffers) {
    // SAFETY: it came out of `allocator`, and nothing uses it any more.
    drop(unsafe { Box::from_raw(buffers.cast_mut()) });
}
