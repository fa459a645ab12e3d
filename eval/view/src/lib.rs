//! `rlm-eval view`: run directories as pages in a browser, served on loopback.
//!
//! ```text
//! guard → api → library → run files (samples.jsonl, kept in memory for the runs looked at)
//!                       → trajectory files (indexed by byte offset; texts are read when they are asked for)
//! ```
//!
//! Invariants: nothing is ever written into a run directory; the index of searched texts lies beside the runs, and is made by the
//! first search. What models wrote is data: the server sends it as JSON, and
//! the page inserts it as text. No path is made from a request: ids are looked up among what the folder holds.

mod server;

mod api;
mod export;
mod guard;
mod query;

mod find_runs;
mod inputs;
mod library;

mod failures;
mod filter;
mod outcome;
mod search;

mod comparison;
mod matches;
mod neighbours;
mod runs_page;
mod histogram;
mod input;
mod overview;
mod run_file;
mod sample_list;

mod trajectory;

mod assets;
mod served;

mod error;

pub use error::ViewError;
pub use export::{Subject, export};
pub use inputs::{Input, Inputs};
pub use library::Library;
pub use server::Server;
