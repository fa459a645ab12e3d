//! Integration tests of the sandbox: cells in, outcomes out.

mod driver;
mod limits;
mod recorded;
mod sessions;
mod tree;
