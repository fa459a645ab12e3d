//! harness.
pub mod prompt;
