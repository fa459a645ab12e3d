//! Integration tests of view.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod server;
mod viewer;
