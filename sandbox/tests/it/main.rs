//! Integration tests of the sandbox: cells in, outcomes out.

mod driver;
mod limits;
mod node_parity;
mod recorded;
mod sessions;
mod tree;
