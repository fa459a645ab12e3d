//! `rlm-eval view`: shows run directories as pages in a browser, served on the loopback interface.
//!
//! ```text
//! guard → api → library → run files (samples.jsonl, cached for recently opened runs)
//!                       → trajectory files (indexed by byte offset; texts are read on request)
//! ```
//!
//! Invariants: the viewer never writes to a run directory. The search index is stored next to the
//! runs and is created by the first search. Text from models is untrusted: the server sends it as
//! JSON, and the page inserts it as text, not as HTML. Paths are never built from requests: ids are
//! looked up among the runs found in the folder.

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
mod answer_match;
mod neighbors;
mod runs_page;
mod histogram;
mod input;
mod overview;
mod run_file;
mod sample_list;

mod file_digest;
mod trajectory;

mod assets;
mod served;

mod error;

pub use error::ViewError;
pub use export::{Subject, export};
pub use inputs::Inputs;
pub use library::Library;
pub use server::Server;
