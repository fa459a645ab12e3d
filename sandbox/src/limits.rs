//! Limits of one session, with their defaults, and the format of `console.log`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits on resources that a session's cells may use. If a limit is exceeded, the cell or call
/// fails with an error that the model reads, and variables of earlier cells survive. Exceptions:
/// `output_chars` truncates the output, and `process_bytes` ends the worker process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Maximum CPU time of one cell. The clock stops while the cell waits.
    pub cell_time: Duration,
    /// Maximum time that one cell waits for timers while none of its calls is pending.
    #[serde(rename = "cell_wait")]
    pub timer_timeout: Duration,
    /// Maximum bytes of one attempt's heap, not counting its context.
    pub heap_bytes: u64,
    /// Resident bytes at which a worker process ends itself. Far above the heap limit, as a last
    /// resort for memory that the engine does not count and for code that the engine cannot stop.
    pub process_bytes: u64,
    /// Bytes of native stack for JavaScript, at most [`MAX_STACK_BYTES`].
    pub stack_bytes: u64,
    /// Maximum pending calls of one attempt: `rlm()`, `llm()`, `agent()` and host functions.
    pub pending_calls: u32,
    /// Maximum calls of one attempt in total: `rlm()`, `llm()`, `agent()` and host functions.
    pub total_calls: u32,
    /// Maximum characters of a query, of a schema, of a host function's arguments, and of a context
    /// passed to an agent without a REPL.
    pub argument_chars: u32,
    /// Maximum pending timers of one agent.
    pub timers: u32,
    /// Maximum characters of output per cell; longer output is cut in the middle.
    pub output_chars: usize,
}

/// Default heap limit of one attempt, in megabytes. The default is the same on every machine,
/// because it can affect answers. Of 2,163 recorded cells of real models, one needs more than 512
/// MB. It passes with 2,048 MB but not with 1,024 MB (Node.js uses 1,600 MB for it).
pub const HEAP_MEGABYTES: u64 = 2048;

/// Resident megabytes that a worker process may use beyond its heap before it ends itself.
pub const BEYOND_HEAP_MEGABYTES: u64 = 1536;

/// Maximum of [`Limits::stack_bytes`]: the native stack of an isolate's thread, minus space for
/// frames of the engine and the parser.
pub const MAX_STACK_BYTES: u64 = 32 << 20;

/// Native stack size of an isolate's thread: the JavaScript stack limit, plus space to parse deeply
/// nested code.
pub(crate) const THREAD_STACK: usize = 64 << 20;

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

/// Format in which `console.log` prints values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Console {
    /// As in Node.js.
    #[default]
    Node,
    /// As `String(argument)` of each argument, joined by spaces.
    Plain,
}
