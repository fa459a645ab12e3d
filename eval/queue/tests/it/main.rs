//! Integration tests of the queue on a real NATS server.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod accounts;
mod attempts;
mod connection;
mod journals;
mod manifests;
mod outage;
mod queued_run;
mod results;
mod workers;
