//! Tracks unhandled promise rejections, so that the model sees errors in code that it did not
//! await.

use std::cell::RefCell;

use deno_core::v8;

#[cfg(not(feature = "v8"))]
use crate::engine_handles::Arguments;
use crate::jobs;

/// Maximum number of recorded rejections. A model does not benefit from more.
const KEPT: usize = 8;

struct Rejection {
    promise: v8::Global<v8::Promise>,
    reason: v8::Global<v8::Value>,
}

thread_local! {
    static UNHANDLED: RefCell<Vec<Rejection>> = const { RefCell::new(Vec::new()) };
}

/// Starts tracking the rejections of this thread's isolate.
pub(crate) fn track(isolate: &mut v8::Isolate) {
    isolate.set_promise_reject_callback(on_event);
}

/// Removes and returns the reasons of the rejections that are still unhandled.
pub(crate) fn take() -> Vec<v8::Global<v8::Value>> {
    UNHANDLED.with_borrow_mut(|all| all.drain(..).map(|rejection| rejection.reason).collect())
}

extern "C" fn on_event(message: v8::PromiseRejectMessage<'_>) {
    // SAFETY: the engine created one handle for the promise and one for the reason, if any, and
    // does not use them afterward.
    #[cfg(not(feature = "v8"))]
    let _arguments =
        unsafe { Arguments::of_callback(1 + usize::from(message.get_value().is_some())) };
    // SAFETY: the engine calls this on the isolate's own thread, with a message of that isolate.
    v8::callback_scope!(unsafe scope, &message);
    let promise = v8::Global::new(scope, message.get_promise());
    match message.get_event() {
        v8::PromiseRejectEvent::PromiseRejectWithNoHandler => {
            let Some(reason) = message.get_value() else {
                return;
            };
            // Stopping the code may reject promises, but only the stop is reported.
            if scope.is_execution_terminating() || jobs::is_dropping() {
                return;
            }
            let reason = v8::Global::new(scope, reason);
            UNHANDLED.with_borrow_mut(|all| {
                if all.len() < KEPT {
                    all.push(Rejection { promise, reason });
                }
            });
        }
        v8::PromiseRejectEvent::PromiseHandlerAddedAfterReject => {
            UNHANDLED.with_borrow_mut(|all| all.retain(|rejection| rejection.promise != promise));
        }
        _ => {}
    }
}
