//! A JavaScript REPL for agents, on an engine embedded through `deno_core`.
//!
//! A [`Session`] is one isolate; each agent of a delegation tree opens a [`Repl`] in it. All data
//! crosses the boundary in messages (see [`message`]): the sandbox receives cells and sends output,
//! calls and results.
//!
//! Invariants: the sandbox knows nothing about models or prompts, and no code outside this crate
//! depends on the choice of engine. Model code reaches the host only through the ops in `ops.rs`.

#![allow(
    unsafe_code,
    reason = "the engine's callbacks and the thread clock are C interfaces"
)]

mod limits;
pub mod message;

mod isolation;
mod warm_pool;
mod session;
mod name;
mod functions;
mod session_lost;
mod router;
mod thread;
mod process;
mod time_zone;

mod worker;
mod inbox;
mod isolate;
mod boot;
mod engine;
#[cfg(feature = "v8")]
mod buffers;
mod platform;
mod expression;
mod text_cache;
mod snapshot;
mod ops;
mod host_state;
mod native;
mod encodings;
mod inspection;
mod rewrite;

mod heap;
mod jobs;
mod watchdog;
mod cpu_clock;

mod randomness;
mod clock;
mod output;
mod rejections;
mod stack_hook;
mod stack_trace;
#[cfg(not(feature = "v8"))]
mod engine_handles;

pub use functions::{HostFunctions, Method, ModelCalls, ObjectFactory};
pub use isolation::{Isolation, Sandbox};
pub use limits::{BEYOND_HEAP_MEGABYTES, Console, HEAP_MEGABYTES, Limits, MAX_STACK_BYTES};
pub use message::Event;
pub use name::{NameError, check_name};
#[cfg(target_os = "linux")]
pub use process::system_calls;
pub use process::{MAX_SESSIONS, WorkerCommand, confine, worker_main};
pub use rewrite::{
    DEFAULT_EXPORT, IMPORTS, SyntaxError, cell_of_module, ends_in_a_bare_value, is_unfinished,
    module_calls,
};
pub use session::{Config, Lister, Recorder, Repl, Session, StartError};
pub use session_lost::{SessionLost, SessionLostCause};
pub use snapshot::keep_snapshot_in;
pub use time_zone::use_utc;
pub use warm_pool::{READY, WarmPool};

/// Whether the engine compiles to machine code, which [`WorkerCommand::jitless`] can disable.
pub const COMPILES: bool = cfg!(feature = "v8");

/// Name of the engine that runs cells in this build.
pub const ENGINE: &str = if cfg!(feature = "v8") {
    "v8"
} else {
    "quickjs"
};
