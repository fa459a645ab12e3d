//! Isolates in worker processes: what a cell does to its process, it does to one attempt.
//!
//! The harness starts its own binary again in a hidden mode, [`worker_main`], and talks to it in frames over
//! its standard input and output. A worker serves one session at a time and is used again for the next.

mod confine;
mod exit;
mod frame;
mod pool;
mod serve;

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
}

/// The first frame to a worker.
#[derive(Debug, Serialize, Deserialize)]
struct Hello {
    config: Config,
    strict: bool,
    /// The engine with the library loaded.
    #[serde(with = "serde_bytes")]
    snapshot: Vec<u8>,
}

/// To a worker.
#[derive(Debug, Serialize, Deserialize)]
enum Down {
    Request(Request),
    /// The session is over.
    End,
}

/// From a worker.
#[derive(Debug, Serialize, Deserialize)]
enum Up {
    /// The worker is confined, as far as the kernel can; what it lacks is told once.
    Ready {
        lacks: Option<String>,
    },
    Reply(Reply),
    /// The session is over. A worker that has grown too large ends itself then.
    Ended {
        reusable: bool,
    },
    /// The worker cannot work.
    Refused(String),
}
