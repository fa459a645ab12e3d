//! Integration tests of harness.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod engine;
mod prompt_assembly;
mod prompt_drivers;
mod prompt_golden;
mod prompt_models;
mod prompt_profiles;
