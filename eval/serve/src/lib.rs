//! `rlm-eval serve`: agents behind the HTTP interface of `OpenAI`'s models.
//!
//! ```text
//! guard → client key → limits → chat or responses → conversation → Question ─→ Agents (the caller's)
//!                                                                    queue       │ progress
//!                               JSON or server-sent events ←── Answered ←────────┘
//! ```
//!
//! Invariants: what runs an agent is a trait here ([`Agents`]); nothing in this crate knows a model, a prompt or a run directory.
//! A client's key is kept as its hash and goes nowhere. What belongs to one request is owned by its handler alone, and dropping
//! the handler, as happens when its client goes away, ends the agent. Addresses that a client names are never fetched.

mod server;

mod agents;

mod chat;
mod responses;

mod conversation;
mod request;

mod events;

mod desk;
mod gate;
mod guard;
mod keys;
mod metrics;

mod error;

pub use agents::{Agents, Answered, Asker, Limits, Offer, OnProgress, Progress, Question, Refused};
pub use conversation::DEFAULT_LONG_TEXT;
pub use error::ServeError;
pub use keys::{Client, Clients, KeyHash};
pub use server::{Server, Settings};
