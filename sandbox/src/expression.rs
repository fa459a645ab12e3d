//! Compiles and evaluates expressions.

use deno_core::v8;
use deno_core::v8::script_compiler::{CompileOptions, NoCacheReason, Source, compile_function};

/// Evaluates an expression. If it throws, returns `None` and leaves the exception in the scope.
/// `name` appears in stack traces.
///
/// The expression is compiled as the body of a function. If it were compiled as a script, the
/// embedded `QuickJS` would parse it twice and cache its bytecode in files in the user's cache
/// folder.
pub(crate) fn value_of<'s>(
    scope: &v8::PinScope<'s, '_>,
    expression: &str,
    name: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    value(scope, expression, name, CompileOptions::NoCompileOptions)
}

/// Evaluates a cell's expression. Nearly all functions of a cell are called, so V8 compiles them
/// eagerly instead of parsing each one again when it is called. `QuickJS` always compiles eagerly.
pub(crate) fn value_of_cell<'s>(
    scope: &v8::PinScope<'s, '_>,
    expression: &str,
    name: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let options = if cfg!(feature = "v8") {
        CompileOptions::EagerCompile
    } else {
        CompileOptions::NoCompileOptions
    };
    value(scope, expression, name, options)
}

fn value<'s>(
    scope: &v8::PinScope<'s, '_>,
    expression: &str,
    name: &str,
    options: CompileOptions,
) -> Option<v8::Local<'s, v8::Value>> {
    let body = v8::String::new(scope, &format!("return {expression}"))?;
    let name = v8::String::new(scope, name)?;
    let origin = v8::ScriptOrigin::new(
        scope,
        name.into(),
        0,
        0,
        false,
        0,
        None,
        false,
        false,
        false,
        None,
    );
    let mut source = Source::new(body, Some(&origin));
    let reason = NoCacheReason::NoReason;
    let function = compile_function(scope, &mut source, &[], &[], options, reason)?;
    let receiver = v8::undefined(scope).into();
    function.call(scope, receiver, &[])
}

/// Converts the line number of a compile error to a line number of the expression. In compile
/// errors, but not in stack traces, `QuickJS` counts the header of the enclosing function as a
/// line.
pub(crate) fn line_of_expression(said: usize) -> usize {
    if cfg!(feature = "v8") {
        said
    } else {
        said.saturating_sub(1).max(1)
    }
}
