//! Tracks unhandled promise rejections by owner, so that the model sees errors in code that it did
//! not await.

use std::cell::RefCell;

use deno_core::v8;

#[cfg(not(feature = "v8"))]
use crate::engine_handles::Arguments;
use crate::jobs;

/// Maximum number of recorded rejections of an owner. A model does not benefit from more.
const KEPT: usize = 8;

struct Rejection {
    owner: u32,
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

/// Removes and returns the reasons of an owner's rejections that are still unhandled. Also removes
/// those of owners that no longer run.
pub(crate) fn take(owner: u32, is_running: impl Fn(u32) -> bool) -> Vec<v8::Global<v8::Value>> {
    UNHANDLED.with_borrow_mut(|all| {
        let (taken, mut others): (Vec<_>, Vec<_>) = all
            .drain(..)
            .partition(|rejection| rejection.owner == owner);
        others.retain(|rejection| is_running(rejection.owner));
        *all = others;
        taken
            .into_iter()
            .map(|rejection| rejection.reason)
            .collect()
    })
}

/// Removes all rejections.
pub(crate) fn clear() {
    drop(UNHANDLED.take());
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
            let owner = jobs::current_owner();
            UNHANDLED.with_borrow_mut(|all| {
                let of_owner = all.iter().filter(|rejection| rejection.owner == owner);
                if of_owner.count() < KEPT {
                    all.push(Rejection {
                        owner,
                        promise,
                        reason,
                    });
                }
            });
        }
        v8::PromiseRejectEvent::PromiseHandlerAddedAfterReject => {
            UNHANDLED.with_borrow_mut(|all| all.retain(|rejection| rejection.promise != promise));
        }
        _ => {}
    }
}
