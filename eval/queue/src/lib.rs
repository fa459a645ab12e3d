//! Shares a run's attempts between machines through a queue on NATS JetStream: names, messages,
//! leases, and the connection to the server.
//!
//! This crate does not know engines, benchmarks, run directories or flags: records, events and
//! journals are bytes. Every message is untrusted input: its size is limited, its version is
//! checked, and an invalid message causes an error that names its subject. Only the module `nats`
//! connects to a server. Builds without the feature `queue` exclude this module.

pub mod name;

mod envelope;
pub mod message;

pub mod accounts;
pub mod rate;

mod broker;
mod error;
#[cfg(feature = "queue")]
mod nats;
#[cfg(not(feature = "queue"))]
mod nats_absent;

mod run_queue;

pub use broker::{Access, Broker, Counts, Delivery, Expect, Follow, Limits, Stored};
pub use error::QueueError;
#[cfg(feature = "queue")]
pub use nats::connect;
#[cfg(not(feature = "queue"))]
pub use nats_absent::connect;
pub use run_queue::{RunQueue, change_manifest, manifest, manifests, now_ms};
