//! The `eval` program as a library: command line, settings and commands.
//!
//! A command line is parsed into [`cli`] (flags as typed), resolved into [`settings`] (all values
//! present and checked), and executed by [`command`]. [`exit`] turns the result into an exit code.
//!
//! Invariants: only [`settings`] and clap's attributes read the environment; results go to stdout
//! and everything else to stderr; untrusted text passes through [`terminal`] before a person sees
//! it.

pub mod cli;
pub mod command;
pub mod env_vars;
pub mod error;
pub mod exit;
pub mod invocation;
pub mod machine_memory;
pub mod open_files;
pub mod panic_hook;
pub mod settings;
pub mod start;
pub mod terminal;

pub mod fetch;
pub mod folders;
pub mod grader;
pub mod import;
pub mod journal;
pub mod merge;
pub mod models;
pub mod program;
pub mod providers;
pub mod protocol_fit;
pub mod request_recorder;
pub mod rescore;
pub mod resume;
pub mod runner;
pub mod selection;
pub mod sweep;
mod mcp_servers;
mod process_guard;
mod web;

mod record;
pub mod reporter;
pub mod run_event;
pub mod run_store;
