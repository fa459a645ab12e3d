//! Integration tests of report.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod compare;
mod differences;
mod race;
mod summary;
mod summary_attempts;
