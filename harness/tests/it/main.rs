//! Integration tests of harness.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[allow(
    dead_code,
    reason = "several test binaries share it, and each needs a part"
)]
#[path = "../../../eval/tests/it/fault_server.rs"]
mod fault_server;
#[path = "../../../eval/tests/it/fault_shapes.rs"]
mod fault_shapes;

mod conformance;
mod engine;
mod hooks;
mod http;
mod http_bodies;
mod http_endings;
mod layers;
mod prompt_assembly;
mod prompt_drivers;
mod prompt_golden;
mod prompt_models;
mod prompt_profiles;
mod tools;
mod treatment;
mod web;
