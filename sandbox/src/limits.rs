//! The limits of one session, each with its documented default.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a cell may use. Every limit ends in an error that the model reads; variables survive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time that one cell may execute. The clock stands still while the cell waits.
    pub cell_time: Duration,
    /// Time that one cell may spend waiting for timers while no `rlm()` or `llm()` of its own is pending.
    pub cell_wait: Duration,
    /// Bytes that the heap of one attempt may take, its context not counted.
    pub heap_bytes: u64,
    /// Resident bytes at which a worker process is ended: far above the heap, for what the engine cannot count
    /// or cannot stop.
    pub process_bytes: u64,
    /// Bytes of native stack that JavaScript may use, at most [`MAX_STACK_BYTES`].
    pub stack_bytes: u64,
    /// `rlm()` and `llm()` calls of one attempt that may be pending at a time.
    pub pending_calls: u32,
    /// `rlm()` and `llm()` calls of one attempt in all.
    pub total_calls: u32,
    /// Characters of a call's query, and of a context that leaves the REPL for an agent without one.
    pub argument_chars: u32,
    /// Timers of one agent that may be pending at a time.
    pub timers: u32,
    /// Characters of output that one cell may show; more is cut in the middle.
    pub output_chars: usize,
}

/// Megabytes of heap of one attempt. The same on every machine, because it can change an answer. Of 2,163 recorded cells
/// of real models one needs more than 512: it passes with 2,048, and not with 1,024 (Node.js takes 1,600 for it).
pub const HEAP_MEGABYTES: u64 = 2048;

/// Resident megabytes that a worker process may take beyond its heap before it is ended.
pub const BEYOND_HEAP_MEGABYTES: u64 = 1536;

/// What the native stack of an isolate's thread has room for, the engine's own frames and the parser's apart.
pub const MAX_STACK_BYTES: u64 = 32 << 20;

impl Default for Limits {
    fn default() -> Self {
        Self {
            cell_time: Duration::from_secs(120),
            cell_wait: Duration::from_secs(30),
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
