//! Integration tests of the sandbox: cells in, outcomes out.

mod driver;
mod recorded;
mod sessions;
