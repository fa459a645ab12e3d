//! Integration tests of records.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod run_dir;
mod run_dir_csv;
