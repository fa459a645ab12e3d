//! Frees the handles that `QuickJS` creates for a callback that interrupts running code.
//!
//! The engine's V8 layer creates these handles outside any scope of the callback. Without this
//! module, they and the objects they refer to would stay alive until the turn ends, and a loop that
//! rejects promises would exhaust the memory.

use std::ffi::c_void;

/// The V8 layer's own handle scope: the isolate, and the number of handles when the scope began.
#[repr(C)]
struct RawScope {
    isolate: *mut c_void,
    handles: usize,
    spare: usize,
}

unsafe extern "C" {
    fn v8__Isolate__GetCurrent() -> *mut c_void;
    fn v8__HandleScope__CONSTRUCT(scope: *mut RawScope, isolate: *mut c_void);
    fn v8__HandleScope__DESTRUCT(scope: *mut RawScope);
}

/// Handles of a callback's arguments, freed on drop.
pub(crate) struct Arguments(RawScope);

impl Arguments {
    /// Takes ownership of the `count` newest handles.
    ///
    /// # Safety
    /// Must be called first in a callback from the engine. The engine must have created `count`
    /// argument handles for the callback and must not use them afterward. The result must be
    /// dropped after every scope of the callback.
    pub unsafe fn of_callback(count: usize) -> Self {
        let mut scope = RawScope {
            isolate: std::ptr::null_mut(),
            handles: 0,
            spare: 0,
        };
        // SAFETY: `RawScope` has the size of the layer's scopes, and the isolate is entered.
        unsafe { v8__HandleScope__CONSTRUCT(&raw mut scope, v8__Isolate__GetCurrent()) };
        scope.handles = scope.handles.saturating_sub(count);
        Self(scope)
    }
}

impl Drop for Arguments {
    fn drop(&mut self) {
        // SAFETY: nothing uses the handles anymore, as `of_callback` requires.
        unsafe { v8__HandleScope__DESTRUCT(&raw mut self.0) };
    }
}
