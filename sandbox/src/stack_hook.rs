//! The hook that the engine calls to format the stack trace of a thrown value.
//!
//! `QuickJS` calls it for thrown values of any kind, even while execution is being stopped.

use std::cell::{Cell, RefCell};

use deno_core::v8;

use crate::{heap, jobs, watchdog};

/// Functions of `stack.js`.
pub(crate) struct Functions {
    pub stack_of: v8::Global<v8::Function>,
    pub place_of: v8::Global<v8::Function>,
    pub nothing: v8::Global<v8::Function>,
}

thread_local! {
    static FUNCTIONS: RefCell<Option<Functions>> = const { RefCell::new(None) };
    static STEP: Cell<u32> = const { Cell::new(0) };
}

/// Makes `stack.js` format the stack traces of this thread's isolate.
pub(crate) fn install(isolate: &mut v8::Isolate, functions: Functions) {
    FUNCTIONS.set(Some(functions));
    engine::install(isolate);
}

/// Releases this thread's references to its isolate.
pub(crate) fn remove(isolate: &mut v8::Isolate) {
    FUNCTIONS.set(None);
    engine::remove(isolate);
}

/// Returns the value of `error.stack`, or `None` if no code will read it.
fn stack_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    error: v8::Local<'s, v8::Value>,
    sites: v8::Local<'s, v8::Array>,
) -> Option<v8::Local<'s, v8::Value>> {
    if jobs::wants_place() {
        record_location(scope, sites);
        return None;
    }
    if scope.is_execution_terminating() {
        vary_call_count(scope);
        return None;
    }
    if !error.is_object() || jobs::is_dropping() {
        return None;
    }
    let function = FUNCTIONS
        .with_borrow(|all| all.as_ref().map(|all| v8::Local::new(scope, &all.stack_of)))?;
    let receiver = v8::undefined(scope).into();
    v8::tc_scope!(let scope, scope);
    function.call(scope, receiver, &[error, sites.into()])
}

/// Records the location of code that is being stopped, then stops it.
fn record_location<'s>(scope: &mut v8::PinScope<'s, '_>, sites: v8::Local<'s, v8::Array>) {
    let function =
        FUNCTIONS.with_borrow(|all| all.as_ref().map(|all| v8::Local::new(scope, &all.place_of)));
    // Until the call has ended, neither the watchdog nor the heap limit may terminate execution
    // again.
    watchdog::set_paused(true);
    heap::set_paused(true);
    scope.cancel_terminate_execution();
    if let Some(function) = function {
        let receiver = v8::undefined(scope).into();
        v8::tc_scope!(let scope, scope);
        if let Some(place) = function.call(scope, receiver, &[sites.into()]) {
            jobs::set_place(place.to_rust_string_lossy(scope));
        }
    }
    heap::set_paused(false);
    watchdog::set_paused(false);
    scope.terminate_execution();
}

/// Varies the number of calls that this hook makes. The engine checks whether to stop only at every
/// n-th call, including calls that format a stack trace. In a loop that throws, every check could
/// otherwise happen inside this hook, where code cannot be stopped.
fn vary_call_count(scope: &mut v8::PinScope<'_, '_>) {
    let calls = STEP.get() % 61 + 1;
    STEP.set(calls);
    let Some(function) =
        FUNCTIONS.with_borrow(|all| all.as_ref().map(|all| v8::Local::new(scope, &all.nothing)))
    else {
        return;
    };
    let receiver = v8::undefined(scope).into();
    scope.cancel_terminate_execution();
    for _ in 0..calls {
        function.call(scope, receiver, &[]);
    }
    scope.terminate_execution();
}

#[cfg(not(feature = "v8"))]
mod engine {
    use std::cell::Cell;
    use std::ffi::c_void;
    use std::ptr::NonNull;

    use deno_core::v8;

    use crate::engine_handles::Arguments;

    type Callback = for<'s> extern "C" fn(
        v8::Local<'s, v8::Context>,
        v8::Local<'s, v8::Value>,
        v8::Local<'s, v8::Array>,
    ) -> *const v8::Value;

    unsafe extern "C" {
        fn v8__Isolate__GetCurrent() -> *mut c_void;
        fn v8__Isolate__SetPrepareStackTraceCallback(isolate: *mut c_void, callback: Callback);
    }

    thread_local! {
        /// Latest stack trace. The engine reads it after the callback, when the callback's own
        /// handles are already freed.
        static LAST: Cell<Option<NonNull<v8::Value>>> = const { Cell::new(None) };
    }

    pub fn install(_: &mut v8::Isolate) {
        // SAFETY: the callback has the engine's signature, and the isolate is this thread's.
        unsafe { v8__Isolate__SetPrepareStackTraceCallback(v8__Isolate__GetCurrent(), on_stack) };
    }

    pub fn remove(isolate: &mut v8::Isolate) {
        if let Some(last) = LAST.take() {
            // SAFETY: `into_raw` below returned this pointer, in this isolate.
            drop(unsafe { v8::Global::from_raw(isolate, last) });
        }
    }

    /// Returns null if the engine must use its own stack trace.
    extern "C" fn on_stack<'s>(
        context: v8::Local<'s, v8::Context>,
        error: v8::Local<'s, v8::Value>,
        sites: v8::Local<'s, v8::Array>,
    ) -> *const v8::Value {
        // SAFETY: the engine created a handle for each of the three and does not use them
        // afterward.
        let _arguments = unsafe { Arguments::of_callback(3) };
        // SAFETY: the engine calls this on the isolate's own thread, with a context of that
        // isolate.
        v8::callback_scope!(unsafe scope, context);
        if let Some(last) = LAST.take() {
            // SAFETY: `into_raw` below returned this pointer, in this isolate.
            drop(unsafe { v8::Global::from_raw(scope, last) });
        }
        let Some(stack) = super::stack_of(scope, error, sites) else {
            return std::ptr::null();
        };
        let stack = v8::Global::new(scope, stack).into_raw();
        LAST.set(Some(stack));
        stack.as_ptr()
    }
}

#[cfg(feature = "v8")]
mod engine {
    use deno_core::v8;

    pub fn install(isolate: &mut v8::Isolate) {
        isolate.set_prepare_stack_trace_callback(on_stack);
    }

    pub fn remove(_: &mut v8::Isolate) {}

    fn on_stack<'s>(
        scope: &mut v8::PinScope<'s, '_>,
        error: v8::Local<'s, v8::Value>,
        sites: v8::Local<'s, v8::Array>,
    ) -> v8::Local<'s, v8::Value> {
        super::stack_of(scope, error, sites).unwrap_or_else(|| v8::undefined(scope).into())
    }
}
