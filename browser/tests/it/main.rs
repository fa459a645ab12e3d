//! Tests of pages in a real Chromium: one pool for all of them, and pages served from files on
//! loopback.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod site;
mod dump;
mod dump_ids;
mod frames;
mod action;
mod profile;
