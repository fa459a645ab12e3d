//! Integration tests of the sandbox: cells in, outcomes out.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod draws;
mod driver;
mod engines;
mod fuzz;
mod hostile;
mod jobs;
mod limits;
mod memory;
mod node_parity;
mod process;
mod recorded;
mod sessions;
#[cfg(target_os = "linux")]
mod system_calls;
mod tree;
