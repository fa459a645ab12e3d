//! The engine: one isolate with its context, created from the snapshot of the library.
//!
//! This module uses the engine and flags of `deno_core` without its `JsRuntime`. For each isolate,
//! `JsRuntime` creates templates that the V8 layer over `QuickJS` never frees: 15 KB per attempt,
//! or up to the whole heap with the objects that they reference. The library, event loop and
//! modules of `JsRuntime` are not needed, because code runs in turns.

use std::borrow::Cow;

use deno_core::v8;

use crate::host_state::Host;
use crate::native;
use crate::ops;
use crate::platform;

/// An isolate, which must remain on the thread that created it.
pub(crate) struct Engine {
    // Dropped before its isolate.
    pub context: v8::Global<v8::Context>,
    pub isolate: v8::OwnedIsolate,
}

/// Enters an engine's context: `in_context!(scope, engine)` declares `scope`.
macro_rules! in_context {
    ($scope:ident, $engine:expr) => {
        let engine: &mut $crate::engine::Engine = &mut $engine;
        deno_core::v8::scope_with_context!($scope, &mut engine.isolate, &engine.context);
    };
}
pub(crate) use in_context;

impl Engine {
    /// Creates an isolate with the library loaded and a heap of at most `heap_bytes`.
    pub fn new(snapshot: &'static [u8], heap_bytes: usize, host: Host) -> Self {
        platform::start();
        let parameters = v8::CreateParams::default()
            .heap_limits(0, heap_bytes)
            .external_references(references())
            .snapshot_blob(v8::StartupData::from(snapshot));
        // The limit applies to the old generation; the young generation is additional. With a
        // larger young generation, V8 copies fewer live objects. At the default limit, it may use
        // 192 MB (three semi-spaces of 64 MB), four times V8's own default.
        #[cfg(feature = "v8")]
        let parameters = parameters
            .set_max_old_generation_size_in_bytes(heap_bytes)
            .set_max_young_generation_size_in_bytes(heap_bytes / 32 * 3)
            .array_buffer_allocator(crate::buffers::allocator(heap_bytes));
        let mut isolate = v8::Isolate::new(parameters);
        isolate.set_microtasks_policy(v8::MicrotasksPolicy::Explicit);
        isolate.set_host_import_module_dynamically_callback(refuse_import);
        isolate.set_slot(host);
        let context = {
            v8::scope!(let scope, &mut isolate);
            let context = v8::Context::new(scope, v8::ContextOptions::default());
            v8::Global::new(scope, context)
        };
        Self { context, isolate }
    }
}

/// Calls `load` in a fresh context with an object whose methods are the ops. Returns a snapshot of
/// the context.
pub(crate) fn make_snapshot(
    load: impl FnOnce(&mut v8::PinScope<'_, '_>, v8::Local<'_, v8::Object>) -> Result<(), String>,
) -> Result<Box<[u8]>, String> {
    platform::start();
    let mut isolate = v8::Isolate::snapshot_creator(Some(references()), None);
    let loaded = {
        v8::scope!(let scope, &mut isolate);
        let context = v8::Context::new(scope, v8::ContextOptions::default());
        scope.set_default_context(context);
        let scope = &mut v8::ContextScope::new(scope, context);
        match native::object(scope, &ops::table()) {
            Some(ops) => load(scope, ops),
            None => Err("the ops".to_owned()),
        }
    };
    // An isolate created for a snapshot must create one before it is dropped.
    let snapshot = isolate.create_blob(v8::FunctionCodeHandling::Keep);
    loaded?;
    let snapshot = snapshot.ok_or("the engine did not create a snapshot")?;
    Ok(Box::from(&*snapshot))
}

/// Returns the addresses of the ops, which a snapshot refers to by index.
fn references() -> Cow<'static, [v8::ExternalReference]> {
    let functions = ops::table().into_iter();
    functions
        .map(|(_, function)| v8::ExternalReference { function })
        .collect()
}

/// Rejects `import()`, because the REPL has no modules. The rewriter rejects it in cells; this
/// function covers code created at run time.
fn refuse_import<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    _options: v8::Local<'s, v8::Data>,
    _from: v8::Local<'s, v8::Value>,
    _name: v8::Local<'s, v8::String>,
    _attributes: v8::Local<'s, v8::FixedArray>,
) -> Option<v8::Local<'s, v8::Promise>> {
    let resolver = v8::PromiseResolver::new(scope)?;
    let message = v8::String::new(
        scope,
        "`import()` is not available in the REPL; use `require(name)`",
    )?;
    let error = v8::Exception::type_error(scope, message);
    resolver.reject(scope, error)?;
    Some(resolver.get_promise(scope))
}
