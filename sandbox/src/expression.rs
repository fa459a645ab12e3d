//! Compiles and evaluates the code that is given to the engine: always an expression.

use deno_core::v8;
use deno_core::v8::script_compiler::{CompileOptions, NoCacheReason, Source, compile_function};

/// The value of an expression, or `None` with an exception in the scope. `name` is what stack traces show.
///
/// It is compiled as the body of a function: of a script, `QuickJS` as it is embedded here keeps the bytecode in files
/// below the user's cache folder and reads it from there, and parses it twice.
pub(crate) fn value_of<'s>(
    scope: &v8::PinScope<'s, '_>,
    expression: &str,
    name: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    value(scope, expression, name, CompileOptions::NoCompileOptions)
}

/// The same of a cell, nearly all of whose functions are called: V8 reads each but once, and not again when it is called.
/// `QuickJS` always does.
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

/// The line of an expression that the engine means when it says where it cannot be compiled. `QuickJS` counts the line
/// with the head of the function, there but not in stacks.
pub(crate) fn line_of_expression(said: usize) -> usize {
    if cfg!(feature = "v8") {
        said
    } else {
        said.saturating_sub(1).max(1)
    }
}
