//! Integration tests of the sandbox: cells in, outcomes out.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

// The counts depend on the page size and on glibc's allocator.
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
mod counts;
mod draws;
mod driver;
mod engines;
mod fuzz;
mod hostile;
mod jobs;
mod limits;
mod map;
mod memory;
mod node_parity;
mod process;
mod recorded;
mod repeats;
mod sessions;
#[cfg(target_os = "linux")]
mod system_calls;
mod tree;
mod values;
mod variables;
