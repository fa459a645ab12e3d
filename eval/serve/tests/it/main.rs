//! Integration tests of serve: a server on a real socket, with agents that answer by rule.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod agents;
mod server;

mod requests;
mod clients;
mod queue;
mod shutdown;
