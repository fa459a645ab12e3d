//! Limits of one session, each with its documented default.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Resources that a cell may use. Exceeding a limit is an error that the model reads; variables
/// survive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time that one cell may execute. The clock stops while the cell waits.
    pub cell_time: Duration,
    /// Time that one cell may wait for timers while none of its `rlm()` or `llm()` calls is
    /// pending.
    pub timer_timeout: Duration,
    /// Maximum bytes of one attempt's heap, not counting its context.
    pub heap_bytes: u64,
    /// Resident bytes at which a worker process is ended. Far above the heap limit, for memory that
    /// the engine cannot count and code that it cannot stop.
    pub process_bytes: u64,
    /// Bytes of native stack for JavaScript, at most [`MAX_STACK_BYTES`].
    pub stack_bytes: u64,
    /// Maximum pending `rlm()` and `llm()` calls of one attempt.
    pub pending_calls: u32,
    /// Maximum `rlm()` and `llm()` calls of one attempt in total.
    pub total_calls: u32,
    /// Maximum characters of a call's query, and of a context passed to an agent without a REPL.
    pub argument_chars: u32,
    /// Maximum pending timers of one agent.
    pub timers: u32,
    /// Maximum characters of output per cell; longer output is cut in the middle.
    pub output_chars: usize,
}

/// Default heap of one attempt, in megabytes. It is the same on every machine, because it can
/// change an answer. Of 2,163 recorded cells of real models, one needs more than 512: it passes
/// with 2,048 but not with 1,024 (Node.js takes 1,600 for it).
pub const HEAP_MEGABYTES: u64 = 2048;

/// Resident megabytes that a worker process may use beyond its heap before it is ended.
pub const BEYOND_HEAP_MEGABYTES: u64 = 1536;

/// Maximum of [`Limits::stack_bytes`]: the native stack of an isolate's thread, minus room for
/// frames of the engine and the parser.
pub const MAX_STACK_BYTES: u64 = 32 << 20;

impl Default for Limits {
    fn default() -> Self {
        Self {
            cell_time: Duration::from_secs(120),
            timer_timeout: Duration::from_secs(30),
            heap_bytes: HEAP_MEGABYTES << 20,
            process_bytes: (HEAP_MEGABYTES + BEYOND_HEAP_MEGABYTES) << 20,
            stack_bytes: 8 << 20,
            pending_calls: 256,
            total_calls: 5_000,
            argument_chars: 20_000_000,
            timers: 10_000,
            output_chars: 50_000,
        }
    }
}

/// How `console.log` prints values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Console {
    /// As Node.js does.
    #[default]
    Node,
    /// `String(argument)`, joined by spaces.
    Plain,
}
