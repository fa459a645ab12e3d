//! `rlm-eval serve`: serves agents through an HTTP interface compatible with `OpenAI`'s.
//!
//! ```text
//! guard → client key → limits → chat or responses → conversation → Question ─→ Agents (the caller's)
//!                                                                    queue       │ progress
//!                               JSON or server-sent events ←── AgentResult ←────────┘
//! ```
//!
//! The trait [`Agents`] abstracts everything that runs an agent: this crate does not know models,
//! prompts or run directories. Only the hash of a client's key is stored, and the key is never
//! passed on. The state of a request belongs to its handler: when the client disconnects, the
//! handler is dropped and the agent stops. URLs from clients are never fetched.

mod server;

mod agents;

mod chat;
mod responses;

mod conversation;
mod request;
mod turn;

mod interface;
mod events;

mod handler;
mod admission;
mod guard;
mod keys;
mod metrics;

mod error;

pub use admission::{AdmissionQueue, QueueTicket};
pub use agents::{AgentResult, Agents, Offer, OnProgress, Progress, Question, Rejection};
pub use conversation::{DEFAULT_LONG_TEXT, with_headings};
pub use error::{ApiError, ServeError};
pub use guard::{listen, protected};
pub use keys::{Client, Clients, KeyHash};
pub use server::{Server, Settings};
