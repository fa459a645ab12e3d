//! Makes Rust functions callable from JavaScript.
//!
//! Arguments of the wrong type are treated as empty, because only the library calls these
//! functions. Reading arguments does not run user code and never panics.

use deno_core::v8;

use crate::encodings::Base64Error;

/// Name and callback of an op.
pub(crate) type Named = (&'static str, v8::FunctionCallback);

/// A JavaScript value.
pub(crate) type Value<'s> = v8::Local<'s, v8::Value>;

/// A type to which a JavaScript argument can be converted.
pub(crate) trait FromJs<'s> {
    fn of(value: Value<'s>, scope: &v8::PinScope<'s, '_>) -> Self;
}

/// A type that can be returned to JavaScript.
pub(crate) trait ToJs {
    fn give(self, scope: &v8::PinScope<'_, '_>, result: v8::ReturnValue<'_>);
}

/// Builds a list of named functions. Functions in `of_host` receive the host's state, those in
/// `of_engine` a scope. Both receive arguments of the declared types.
macro_rules! natives {
    (
        of_host { $($host_name:ident($host:tt $($host_arguments:tt)*) => $host_outcome:expr;)* }
        of_engine { $($name:ident($scope:tt $($arguments:tt)*) => $outcome:expr;)* }
    ) => {
        vec![
            $($crate::native::native! { $host_name(scope $($host_arguments)*) => {
                let Some(host) = scope.get_slot::<$crate::host_state::Host>().cloned() else {
                    return;
                };
                let $host = &mut *host.borrow_mut();
                $host_outcome
            }},)*
            $($crate::native::native! { $name($scope $($arguments)*) => $outcome },)*
        ]
    };
}
pub(crate) use natives;

macro_rules! native {
    ($name:ident($scope:ident $(, $argument:ident: $kind:ty)*) => $outcome:expr) => {
        (stringify!($name), {
            #[allow(unused_mut, unused_variables, reason = "unused in functions without arguments")]
            fn called<'s>(
                $scope: &mut deno_core::v8::PinScope<'s, '_>,
                arguments: deno_core::v8::FunctionCallbackArguments<'s>,
                result: deno_core::v8::ReturnValue<'s>,
            ) {
                let mut at = 0..;
                $(let $argument: $kind = $crate::native::FromJs::of(
                    arguments.get(at.next().unwrap_or_default()),
                    $scope,
                );)*
                let outcome = $outcome;
                $crate::native::ToJs::give(outcome, $scope, result);
            }
            deno_core::v8::MapFnTo::map_fn_to(called)
        })
    };
}
pub(crate) use native;

/// Creates an object with the given functions as methods.
pub(crate) fn object<'s>(
    scope: &v8::PinScope<'s, '_>,
    functions: &[Named],
) -> Option<v8::Local<'s, v8::Object>> {
    let object = v8::Object::new(scope);
    for (name, callback) in functions {
        let name = v8::String::new(scope, name)?;
        let function = v8::Function::builder_raw(*callback)
            .constructor_behavior(v8::ConstructorBehavior::Throw)
            .build(scope)?;
        object.set(scope, name.into(), function.into())?;
    }
    Some(object)
}

impl<'s> FromJs<'s> for Value<'s> {
    fn of(value: Value<'s>, _: &v8::PinScope<'s, '_>) -> Self {
        value
    }
}

impl<'s> FromJs<'s> for f64 {
    fn of(value: Value<'s>, _: &v8::PinScope<'s, '_>) -> Self {
        v8::Local::<v8::Number>::try_from(value).map_or(0.0, |number| number.value())
    }
}

impl<'s> FromJs<'s> for u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the library passes integers; other numbers are truncated or clamped"
    )]
    fn of(value: Value<'s>, scope: &v8::PinScope<'s, '_>) -> Self {
        f64::of(value, scope) as u32
    }
}

impl<'s> FromJs<'s> for bool {
    fn of(value: Value<'s>, _: &v8::PinScope<'s, '_>) -> Self {
        value.is_true()
    }
}

impl<'s> FromJs<'s> for String {
    fn of(value: Value<'s>, scope: &v8::PinScope<'s, '_>) -> Self {
        v8::Local::<v8::String>::try_from(value)
            .map_or_else(|_| Self::new(), |text| text.to_rust_string_lossy(scope))
    }
}

impl<'s> FromJs<'s> for Vec<u8> {
    fn of(value: Value<'s>, _: &v8::PinScope<'s, '_>) -> Self {
        let Ok(view) = v8::Local::<v8::ArrayBufferView>::try_from(value) else {
            return Self::new();
        };
        let mut bytes = vec![0; view.byte_length()];
        let copied = view.copy_contents(&mut bytes);
        bytes.truncate(copied);
        bytes
    }
}

impl ToJs for () {
    fn give(self, _: &v8::PinScope<'_, '_>, _: v8::ReturnValue<'_>) {}
}

impl ToJs for u32 {
    fn give(self, _: &v8::PinScope<'_, '_>, mut result: v8::ReturnValue<'_>) {
        result.set_uint32(self);
    }
}

impl ToJs for f64 {
    fn give(self, _: &v8::PinScope<'_, '_>, mut result: v8::ReturnValue<'_>) {
        result.set_double(self);
    }
}

impl ToJs for bool {
    fn give(self, _: &v8::PinScope<'_, '_>, mut result: v8::ReturnValue<'_>) {
        result.set_bool(self);
    }
}

impl ToJs for Value<'_> {
    fn give(self, _: &v8::PinScope<'_, '_>, mut result: v8::ReturnValue<'_>) {
        result.set(self);
    }
}

/// Converts `None` to undefined.
impl ToJs for Option<Value<'_>> {
    fn give(self, _: &v8::PinScope<'_, '_>, mut result: v8::ReturnValue<'_>) {
        if let Some(value) = self {
            result.set(value);
        }
    }
}

/// Converts `None`, and strings longer than the engine supports, to null.
impl ToJs for Option<String> {
    fn give(self, scope: &v8::PinScope<'_, '_>, mut result: v8::ReturnValue<'_>) {
        match self.and_then(|text| v8::String::new(scope, &text)) {
            Some(text) => result.set(text.into()),
            None => result.set_null(),
        }
    }
}

impl ToJs for String {
    fn give(self, scope: &v8::PinScope<'_, '_>, result: v8::ReturnValue<'_>) {
        Some(self).give(scope, result);
    }
}

/// Converts an error to its number in [`Base64Error`].
impl ToJs for Result<String, Base64Error> {
    fn give(self, scope: &v8::PinScope<'_, '_>, result: v8::ReturnValue<'_>) {
        match self {
            Ok(text) => text.give(scope, result),
            Err(reason) => (reason as u32).give(scope, result),
        }
    }
}

impl ToJs for Vec<u8> {
    fn give(self, scope: &v8::PinScope<'_, '_>, mut result: v8::ReturnValue<'_>) {
        let length = self.len();
        let store = v8::ArrayBuffer::new_backing_store_from_vec(self).make_shared();
        let buffer = v8::ArrayBuffer::with_backing_store(scope, &store);
        match v8::Uint8Array::new(scope, buffer, 0, length) {
            Some(bytes) => result.set(bytes.into()),
            None => result.set_null(),
        }
    }
}
