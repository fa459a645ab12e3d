//! Isolates in worker processes: what a cell does to its process, it does to one attempt.
//!
//! The harness starts its own binary again in a hidden mode, [`worker_main`]: a *server*. Each session gets a socket
//! through it, and speaks in frames over that. A forking server keeps one isolate ready and copies its own process
//! for each session: the copy is the worker, and starting it costs the pages that it changes. A sharing server is
//! itself the worker of a few sessions, each on a thread. It takes the place of one that cannot be copied.
//!
//! Invariants: model code runs only after its process is confined, and never in a forking server, which runs one cell
//! of the library's own. A worker holds the sockets of its own sessions and nothing else, and ends when they do. A
//! server that ends because the harness hung up ends its copies; one that is killed does not cost them their sessions.

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

/// How to start a worker: a program that calls [`worker_main`], and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    /// The program.
    pub program: std::path::PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Whether a worker that cannot be confined must refuse to work.
    pub strict: bool,
    /// Sessions that one worker process runs, at least 1 and at most [`MAX_SESSIONS`]. What ends the process ends
    /// all of them.
    pub sessions: u32,
    /// Whether the engine interprets only, so that no memory of a worker can be made executable. Of engines that
    /// [compile](crate::COMPILES); others never do.
    pub jitless: bool,
}

/// The most sessions that one worker process runs.
pub const MAX_SESSIONS: u32 = 32;

/// The first frame to a server, over its standard input. What follows are orders ([`control`]).
#[derive(Debug, Serialize, Deserialize)]
struct Hello {
    config: Config,
    strict: bool,
    jitless: bool,
    /// Whether each session gets a copy of the process.
    forks: bool,
    /// The engine with the library loaded.
    #[serde(with = "serde_bytes")]
    snapshot: Vec<u8>,
}

/// To a worker, over a session's socket.
#[derive(Debug, Serialize, Deserialize)]
struct Down {
    request: Request,
    /// Frames that follow, each a piece of the context ([`long_text`]).
    pieces: u32,
    /// Bytes of all pieces.
    bytes: u64,
}

/// From a worker, over a session's socket.
#[derive(Debug, Serialize, Deserialize)]
enum Up {
    /// The worker is confined as far as the kernel allows; what the kernel lacks is reported once.
    Ready { lacks: Option<String> },
    /// What a turn brought about, reply by reply.
    Reply {
        reply: Reply,
        /// Whether it is the turn's last.
        is_last: bool,
    },
    /// The worker cannot work.
    Refused(String),
    /// The server cannot be copied.
    NoCopy(String),
}
