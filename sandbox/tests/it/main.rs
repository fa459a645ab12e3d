//! Integration tests of the sandbox: cells in, outcomes out.

mod cells;
mod driver;
mod recorded;
