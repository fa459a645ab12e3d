//! Ops that look inside objects for the console: what JavaScript itself cannot see of promises, proxies and
//! iterators.

use deno_core::v8::{self, FunctionCallbackArguments, Local, PinScope, PromiseState, ReturnValue};

/// 0 for a pending promise, 1 for a fulfilled one, 2 for a rejected one, 3 for anything else.
pub(crate) fn promise_state(
    _: &mut PinScope<'_, '_>,
    arguments: FunctionCallbackArguments<'_>,
    mut result: ReturnValue<'_>,
) {
    let promise = Local::<v8::Promise>::try_from(arguments.get(0));
    result.set_uint32(match promise.map(|promise| promise.state()) {
        Ok(PromiseState::Pending) => 0,
        Ok(PromiseState::Fulfilled) => 1,
        Ok(PromiseState::Rejected) => 2,
        Err(_) => 3,
    });
}

/// The value or the reason of a promise that is settled, else undefined.
pub(crate) fn promise_result<'s>(
    scope: &mut PinScope<'s, '_>,
    arguments: FunctionCallbackArguments<'s>,
    mut result: ReturnValue<'s>,
) {
    if let Ok(promise) = Local::<v8::Promise>::try_from(arguments.get(0))
        && promise.state() != PromiseState::Pending
    {
        result.set(promise.result(scope));
    }
}

pub(crate) fn is_proxy(
    _: &mut PinScope<'_, '_>,
    arguments: FunctionCallbackArguments<'_>,
    mut result: ReturnValue<'_>,
) {
    result.set_bool(arguments.get(0).is_proxy());
}

/// The target of a proxy, or, if the second argument is true, its handler; null if it is revoked or no proxy.
pub(crate) fn proxy_part<'s>(
    scope: &mut PinScope<'s, '_>,
    arguments: FunctionCallbackArguments<'s>,
    mut result: ReturnValue<'s>,
) {
    match Local::<v8::Proxy>::try_from(arguments.get(0)) {
        Ok(proxy) if proxy.is_revoked() => result.set_null(),
        Ok(proxy) if arguments.get(1).is_true() => result.set(proxy.get_handler(scope)),
        Ok(proxy) => result.set(proxy.get_target(scope)),
        Err(_) => result.set_null(),
    }
}

/// What an iterator of a Map or Set has still to give, keys and values in turn if it gives pairs; else undefined.
pub(crate) fn preview_entries<'s>(
    scope: &mut PinScope<'s, '_>,
    arguments: FunctionCallbackArguments<'s>,
    mut result: ReturnValue<'s>,
) {
    if let Some((entries, _)) = preview(scope, arguments.get(0)) {
        result.set(entries.into());
    }
}

/// Whether such an iterator gives pairs.
pub(crate) fn gives_pairs<'s>(
    scope: &mut PinScope<'s, '_>,
    arguments: FunctionCallbackArguments<'s>,
    mut result: ReturnValue<'s>,
) {
    result.set_bool(preview(scope, arguments.get(0)).is_some_and(|(_, pairs)| pairs));
}

fn preview<'s>(
    scope: &mut PinScope<'s, '_>,
    value: Local<'s, v8::Value>,
) -> Option<(Local<'s, v8::Array>, bool)> {
    if !value.is_map_iterator() && !value.is_set_iterator() {
        return None;
    }
    let object = Local::<v8::Object>::try_from(value).ok()?;
    let (entries, pairs) = object.preview_entries(scope);
    Some((entries?, pairs))
}
