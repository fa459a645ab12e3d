//! Creates an engine with the JavaScript library loaded and the global object locked down.

use std::iter;
use std::sync::{Mutex, PoisonError};

use deno_core::v8;
use include_dir::{Dir, File, include_dir};

use crate::engine::{Engine, in_context};
use crate::expression::value_of;
use crate::host_state::Host;
use crate::limits::{Console, Limits, MAX_STACK_BYTES};
use crate::randomness;
use crate::session::{Config, StartError};

/// Files of the library. Each contains one expression: a function that takes the shared `internals`
/// object.
static LIBRARY: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/js");

/// Names of the files that also run under Node.js, in load order.
const ORDER: &str = include_str!("../js/order.txt");

/// Functions of `agents.js` that the isolate calls.
pub(crate) struct LibraryFunctions {
    pub abort_cell: v8::Global<v8::Function>,
    pub call_context: v8::Global<v8::Function>,
    pub close_agent: v8::Global<v8::Function>,
    pub fire_timer: v8::Global<v8::Function>,
    pub forget: v8::Global<v8::Function>,
    pub open_agent: v8::Global<v8::Function>,
    pub rejection_text: v8::Global<v8::Function>,
    pub run_cell: v8::Global<v8::Function>,
    pub set_name: v8::Global<v8::Function>,
    pub settle_call: v8::Global<v8::Function>,
    pub variables: v8::Global<v8::Function>,
    pub stack_of: v8::Global<v8::Function>,
    pub place_of: v8::Global<v8::Function>,
    pub nothing: v8::Global<v8::Function>,
}

/// Global variable that holds the library's `internals` in a snapshot until a session removes it.
const INTERNALS: &str = "__repl_internals";

/// Creates an engine on the calling thread from a snapshot that contains the library, and locks the
/// global object down.
pub(crate) fn boot(
    snapshot: &'static [u8],
    config: &Config,
    host: Host,
) -> Result<(Engine, LibraryFunctions), StartError> {
    set_flags(&config.limits);
    let heap = usize::try_from(config.limits.heap_bytes).unwrap_or(usize::MAX);
    let mut engine = Engine::new(snapshot, heap, host);
    let functions = take_functions(&mut engine, config)?;
    Ok((engine, functions))
}

/// Returns the library's files by name, in load order.
pub(crate) fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    let last = [
        "values.js",
        "functions.js",
        "map.js",
        "variables.js",
        "calls.js",
        "agents.js",
        "lockdown.js",
    ];
    let of_engine: &[&str] = if cfg!(feature = "v8") {
        &["clock.js", "random.js", "resizable.js"]
    } else {
        &["clock.js"]
    };
    let names = iter::once("host.js").chain(of_engine.iter().copied());
    let names = names.chain(ORDER.lines()).chain(last);
    names.map(|name| {
        let file = LIBRARY.get_file(name);
        (name, file.and_then(File::contents_utf8).unwrap_or_default())
    })
}

/// Sets process-wide engine state: the flags, for which the latest configuration wins, and the
/// source of random numbers.
pub(crate) fn set_flags(limits: &Limits) {
    static STACK_KB: Mutex<u64> = Mutex::new(0);
    randomness::install();
    let wanted = limits.stack_bytes.min(MAX_STACK_BYTES) >> 10;
    let mut current = STACK_KB.lock().unwrap_or_else(PoisonError::into_inner);
    if *current != wanted {
        let stack = format!("--stack-size={wanted}");
        deno_core::v8_set_flags(vec!["sandbox".to_owned(), stack]);
        *current = wanted;
    }
}

/// Loads the library into a context from which a snapshot will be created.
pub(crate) fn load(
    scope: &mut v8::PinScope<'_, '_>,
    ops: v8::Local<'_, v8::Object>,
) -> Result<(), String> {
    v8::tc_scope!(let scope, scope);
    let internals = v8::Object::new(scope);
    set(scope, internals, "native", ops.into()).map_err(|error| error.to_string())?;
    for (name, source) in sources() {
        if load_file(scope, name, source, internals).is_none() {
            let reason = scope
                .exception()
                .map(|thrown| thrown.to_rust_string_lossy(scope));
            return Err(format!("{name}: {}", reason.unwrap_or_default()));
        }
    }
    let global = scope.get_current_context().global(scope);
    set(scope, global, INTERNALS, internals.into()).map_err(|error| error.to_string())
}

fn take_functions(engine: &mut Engine, config: &Config) -> Result<LibraryFunctions, StartError> {
    in_context!(scope, *engine);
    let global = scope.get_current_context().global(scope);
    let internals: v8::Local<v8::Object> = get(scope, global, INTERNALS)?
        .try_into()
        .map_err(|_| missing(INTERNALS))?;
    let plain = v8::Boolean::new(scope, config.console == Console::Plain);
    set(scope, internals, "plainConsole", plain.into())?;
    let limits = v8::Object::new(scope);
    for (name, limit) in [
        ("argument_chars", config.limits.argument_chars),
        ("pending_calls", config.limits.pending_calls),
        ("timers", config.limits.timers),
        ("total_calls", config.limits.total_calls),
    ] {
        let limit = v8::Integer::new_from_unsigned(scope, limit);
        set(scope, limits, name, limit.into())?;
    }
    set(scope, internals, "limits", limits.into())?;
    let lockdown: v8::Local<v8::Function> = get(scope, internals, "lockdown")?
        .try_into()
        .map_err(|_| missing("lockdown"))?;
    lockdown
        .call(scope, global.into(), &[])
        .ok_or_else(|| missing("lockdown"))?;
    let host: v8::Local<v8::Object> = get(scope, internals, "host")?
        .try_into()
        .map_err(|_| missing("host"))?;
    let function = |name: &str| -> Result<v8::Global<v8::Function>, StartError> {
        let value = get(scope, host, name)?;
        let function: v8::Local<v8::Function> = value.try_into().map_err(|_| missing(name))?;
        Ok(v8::Global::new(scope, function))
    };
    Ok(LibraryFunctions {
        abort_cell: function("abortCell")?,
        call_context: function("callContext")?,
        close_agent: function("closeAgent")?,
        fire_timer: function("fireTimer")?,
        forget: function("forget")?,
        open_agent: function("openAgent")?,
        rejection_text: function("rejectionText")?,
        run_cell: function("runCell")?,
        set_name: function("setName")?,
        settle_call: function("settleCall")?,
        variables: function("variables")?,
        stack_of: function("stackOf")?,
        place_of: function("placeOf")?,
        nothing: function("nothing")?,
    })
}

fn load_file<'s>(
    scope: &v8::PinScope<'s, '_>,
    name: &str,
    source: &str,
    internals: v8::Local<'s, v8::Object>,
) -> Option<()> {
    let expression = source.trim_end().trim_end_matches(';');
    let value = value_of(scope, &format!("({expression})"), name)?;
    let function: v8::Local<v8::Function> = value.try_into().ok()?;
    let receiver = v8::undefined(scope).into();
    function
        .call(scope, receiver, &[internals.into()])
        .map(|_| ())
}

fn missing(name: &str) -> StartError {
    StartError::Boot(format!("agents.js ({name})"))
}

fn set(
    scope: &v8::PinScope<'_, '_>,
    object: v8::Local<'_, v8::Object>,
    name: &str,
    value: v8::Local<'_, v8::Value>,
) -> Result<(), StartError> {
    let key = v8::String::new(scope, name).ok_or_else(|| missing(name))?;
    object
        .set(scope, key.into(), value)
        .map(|_| ())
        .ok_or_else(|| missing(name))
}

fn get<'s>(
    scope: &v8::PinScope<'s, '_>,
    object: v8::Local<'s, v8::Object>,
    name: &str,
) -> Result<v8::Local<'s, v8::Value>, StartError> {
    let key = v8::String::new(scope, name).ok_or_else(|| missing(name))?;
    object.get(scope, key.into()).ok_or_else(|| missing(name))
}
