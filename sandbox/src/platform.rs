//! Process-wide setup of the engine: its flags and its background threads.

use std::sync::Once;

use deno_core::JsRuntime;

/// Prepares the process for its first isolate. Only the first call has an effect.
pub(crate) fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(engine::start);
}

/// Prepares a worker process. The engine does not start threads in workers, because copies of the
/// process would lack them and system call filters would not apply to them. Isolates must run on
/// threads that descend from the calling thread. Must be called before the process is confined.
///
/// With `jitless`, the engine only interprets code.
pub(crate) fn start_in_worker(jitless: bool) {
    engine::in_worker(jitless);
    start();
}

#[cfg(not(feature = "v8"))]
mod engine {
    use super::JsRuntime;

    pub fn start() {
        JsRuntime::init_platform(None);
    }

    pub fn in_worker(_jitless: bool) {}
}

/// V8 compiles code and collects garbage on the isolate's own thread (`--single-threaded`). Thus a
/// cell's CPU time includes its whole cost, and isolates do not wait for threads that a copy of the
/// process lacks.
///
/// Uses V8's own platform, because the platform of `deno_core` needs an async runtime for tasks
/// that the garbage collector defers.
#[cfg(feature = "v8")]
mod engine {
    use std::sync::atomic::{AtomicBool, Ordering};

    use deno_core::v8;

    use super::JsRuntime;

    static IN_WORKER: AtomicBool = AtomicBool::new(false);
    static JITLESS: AtomicBool = AtomicBool::new(false);

    pub fn start() {
        // Fixed, so that the same code returns the same result on every machine. Worker processes
        // do not have a locale in their environment anyway.
        v8::icu::set_default_locale("en-US");
        // The last flag allows later changes: the stack limit is a flag, which follows the latest
        // configuration.
        v8::V8::set_flags_from_string(
            "--single-threaded --min-semi-space-size=4 --semi-space-growth-factor=4 --no-freeze-flags-after-init",
        );
        if JITLESS.load(Ordering::SeqCst) {
            v8::V8::set_flags_from_string("--jitless");
        }
        let platform = if IN_WORKER.load(Ordering::SeqCst) {
            v8::new_single_threaded_default_platform(false)
        } else {
            // With memory protection keys for compiled code, only descendants of this thread would
            // have the key.
            v8::new_unprotected_default_platform(1, false)
        };
        JsRuntime::init_platform(Some(platform.make_shared()));
    }

    pub fn in_worker(jitless: bool) {
        IN_WORKER.store(true, Ordering::SeqCst);
        JITLESS.store(jitless, Ordering::SeqCst);
        #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
        keep_heap_together();
    }

    /// Upper bound of the random addresses at which V8 maps memory (`OS::GetRandomMmapAddr` in its
    /// `platform-posix.cc`).
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    const RANDOM_ADDRESSES_END: usize = if cfg!(target_arch = "x86_64") {
        1 << 46
    } else {
        1 << 38
    };

    /// Reserves all addresses that V8 would pick at random, so that the kernel places the heap's
    /// pages next to each other. Each page elsewhere would cost every copy of this process three
    /// pages of page tables. The location of the whole heap remains random.
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    fn keep_heap_together() {
        use std::ffi::c_void;
        use std::ptr;

        // The program itself may be mapped below this address.
        const FIRST: usize = 1 << 32;
        let start = ptr::without_provenance_mut::<c_void>(FIRST);
        let flags = libc::MAP_PRIVATE
            | libc::MAP_ANONYMOUS
            | libc::MAP_NORESERVE
            | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: reserves only unused addresses, without allocating memory. If this fails, V8
        // places the heap at random addresses.
        unsafe {
            libc::mmap(
                start,
                RANDOM_ADDRESSES_END - FIRST,
                libc::PROT_NONE,
                flags,
                -1,
                0,
            );
        }
    }
}
