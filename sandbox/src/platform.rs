//! What the engine has for a whole process: its flags, and who does the work that it would leave to threads.

use std::sync::Once;

use deno_core::JsRuntime;

/// Prepares the process for its first isolate. What it is to be counts at the first call.
pub(crate) fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(engine::start);
}

/// Prepares a worker process: the engine has no threads of its own there, which a copy would lack and which no filter
/// would hold. Isolates must be on threads that descend from the calling one. For the time before the process is confined.
///
/// `jitless`: the engine interprets only.
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

/// V8 compiles and collects on the thread of the isolate (`--single-threaded`), so that the CPU time of a cell is all
/// that it costs, and no isolate waits for threads that a copy of its process lacks.
///
/// The platform is V8's own. That of `deno_core` needs an async runtime for the tasks that the collector puts off.
#[cfg(feature = "v8")]
mod engine {
    use std::sync::atomic::{AtomicBool, Ordering};

    use deno_core::v8;

    use super::JsRuntime;

    static IN_WORKER: AtomicBool = AtomicBool::new(false);
    static JITLESS: AtomicBool = AtomicBool::new(false);

    pub fn start() {
        // Not the machine's: the same code answers the same everywhere. Worker processes have no language to take.
        v8::icu::set_default_locale("en-US");
        // Not frozen: the stack's limit, which is a flag, is that of the latest configuration.
        v8::V8::set_flags_from_string(
            "--single-threaded --min-semi-space-size=4 --semi-space-growth-factor=4 --no-freeze-flags-after-init",
        );
        if JITLESS.load(Ordering::SeqCst) {
            v8::V8::set_flags_from_string("--jitless");
        }
        let platform = if IN_WORKER.load(Ordering::SeqCst) {
            v8::new_single_threaded_default_platform(false)
        } else {
            // Where processors keep compiled code under keys, other threads than this one's descendants lack the key.
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

    /// Where V8 asks for memory: at addresses below this, drawn at random (`OS::GetRandomMmapAddr` in its `platform-posix.cc`).
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    const DRAWN_BELOW: usize = if cfg!(target_arch = "x86_64") {
        1 << 46
    } else {
        1 << 38
    };

    /// Has the kernel place the heap's pages side by side, by taking all addresses that V8 would draw. Each of its pages
    /// elsewhere costs a copy of this process three pages of page tables. Where all of it lies is still random.
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    fn keep_heap_together() {
        use std::ffi::c_void;
        use std::ptr;

        // Below this the program itself may be.
        const FIRST: usize = 1 << 32;
        let start = ptr::without_provenance_mut::<c_void>(FIRST);
        let flags = libc::MAP_PRIVATE
            | libc::MAP_ANONYMOUS
            | libc::MAP_NORESERVE
            | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: takes addresses that nothing has, and no memory. Where that fails, the heap lies where it would anyway.
        unsafe {
            libc::mmap(start, DRAWN_BELOW - FIRST, libc::PROT_NONE, flags, -1, 0);
        }
    }
}
