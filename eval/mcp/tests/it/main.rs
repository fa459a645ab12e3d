//! Integration tests of mcp: a small toolbox for clients over a socket and over HTTP, and a
//! hand-written server process with tools.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod toolbox;

mod lines;
mod http;
mod http_server;
mod servers;
