//! Provides the console with the state of promises, proxies and iterators, which JavaScript cannot
//! inspect.

use deno_core::v8::{self, Local, PinScope, PromiseState};

use crate::native::Value;

/// Returns 0 for a pending promise, 1 for a fulfilled one, 2 for a rejected one, and 3 for other
/// values.
pub(crate) fn promise_state(value: Value<'_>) -> u32 {
    let Ok(promise) = Local::<v8::Promise>::try_from(value) else {
        return 3;
    };
    match promise.state() {
        PromiseState::Pending => 0,
        PromiseState::Fulfilled => 1,
        PromiseState::Rejected => 2,
    }
}

/// Returns the value or rejection reason of a settled promise, or `None` for other values.
pub(crate) fn promise_result<'s>(
    scope: &mut PinScope<'s, '_>,
    value: Value<'s>,
) -> Option<Value<'s>> {
    let promise = Local::<v8::Promise>::try_from(value).ok()?;
    (promise.state() != PromiseState::Pending).then(|| promise.result(scope))
}

/// Returns the target or handler of a proxy; null if the value is not a proxy or is revoked.
pub(crate) fn proxy_part<'s>(
    scope: &mut PinScope<'s, '_>,
    value: Value<'s>,
    handler: bool,
) -> Value<'s> {
    match Local::<v8::Proxy>::try_from(value) {
        Ok(proxy) if proxy.is_revoked() => v8::null(scope).into(),
        Ok(proxy) if handler => proxy.get_handler(scope),
        Ok(proxy) => proxy.get_target(scope),
        Err(_) => v8::null(scope).into(),
    }
}

/// Returns the remaining entries of a Map or Set iterator. If the iterator yields pairs, keys and
/// values alternate.
pub(crate) fn preview_entries<'s>(
    scope: &mut PinScope<'s, '_>,
    value: Value<'s>,
) -> Option<Value<'s>> {
    preview(scope, value).map(|(entries, _)| entries.into())
}

/// Whether a Map or Set iterator yields pairs.
pub(crate) fn yields_pairs<'s>(scope: &mut PinScope<'s, '_>, value: Value<'s>) -> bool {
    preview(scope, value).is_some_and(|(_, pairs)| pairs)
}

fn preview<'s>(
    scope: &mut PinScope<'s, '_>,
    value: Value<'s>,
) -> Option<(Local<'s, v8::Array>, bool)> {
    if !value.is_map_iterator() && !value.is_set_iterator() {
        return None;
    }
    let object = Local::<v8::Object>::try_from(value).ok()?;
    let (entries, pairs) = object.preview_entries(scope);
    Some((entries?, pairs))
}
