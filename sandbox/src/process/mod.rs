//! Isolates in worker processes, so that a cell that damages its process affects only one attempt.
//!
//! The harness starts its own binary again in a hidden mode ([`worker_main`]). The new process is a
//! *server*. Through the server, each session gets a socket over which it exchanges frames. A
//! forking server keeps one isolate ready and copies its own process for each session: the copy is
//! the worker, and starting it costs only the pages that it changes. If a server cannot be copied,
//! a sharing server replaces it. A sharing server is itself the worker of a few sessions, each on
//! its own thread.
//!
//! Invariants: model code runs only after its process is confined, and never in a forking server,
//! which runs only one cell, to warm up the library. A worker has only the sockets of its own
//! sessions and ends when these sessions end. A server that ends because the harness hung up ends
//! its copies; copies of a server that is killed keep their sessions.

mod confine;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
pub mod system_calls;
mod exit;
mod frame;
mod control;

mod pool;
mod server;

mod serve;
mod forking;
mod copying;
mod sharing;
mod link;
mod long_text;
mod memory;

pub use confine::confine;
pub use pool::Workers;
pub use serve::worker_main;

use serde::{Deserialize, Serialize};

use crate::message::{Reply, Request};
use crate::session::Config;

/// Command that starts a worker: a program that calls [`worker_main`], and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    /// Path of the program.
    pub program: std::path::PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Whether a worker that cannot be fully confined refuses to run.
    pub strict: bool,
    /// Sessions per worker process, from 1 to [`MAX_SESSIONS`]. If the process ends, all its
    /// sessions end.
    pub sessions: u32,
    /// Whether the engine only interprets code, so that no memory of a worker can become
    /// executable. Has an effect only on engines that [compile](crate::COMPILES).
    pub jitless: bool,
}

/// Maximum sessions of one worker process.
pub const MAX_SESSIONS: u32 = 32;

/// First frame to a server over its standard input, followed by orders ([`control`]).
#[derive(Debug, Serialize, Deserialize)]
struct Hello {
    config: Config,
    strict: bool,
    jitless: bool,
    /// Whether each session gets a copy of the process.
    forks: bool,
    /// Snapshot of the engine with the library loaded.
    #[serde(with = "serde_bytes")]
    snapshot: Vec<u8>,
}

/// Message to a worker, over a session's socket.
#[derive(Debug, Serialize, Deserialize)]
struct ToWorker {
    request: Request,
    /// Number of frames that follow, each a piece of the context ([`long_text`]).
    pieces: u32,
    /// Total bytes of the pieces.
    bytes: u64,
}

/// Message from a worker, over a session's socket.
#[derive(Debug, Serialize, Deserialize)]
enum FromWorker {
    /// The worker is confined as far as the kernel allows. `lacks` describes missing kernel
    /// features.
    Ready { lacks: Option<String> },
    /// One reply of a turn.
    Reply {
        reply: Reply,
        /// Whether this is the last reply of the turn.
        is_last: bool,
    },
    /// The worker cannot run the session. Contains the reason.
    Refused(String),
    /// The server cannot be copied. Contains the reason.
    NoCopy(String),
}
