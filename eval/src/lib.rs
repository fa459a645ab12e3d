//! The `eval` program as a library: command line, settings and commands.
//!
//! A command line is parsed into [`cli`] (flags as typed), resolved into [`settings`] (all values
//! present and checked), and executed by [`command`]. [`exit`] turns the result into an exit code.
//!
//! Invariants: only [`settings`], the `settings` of commands and clap's attributes read the
//! environment; results go to stdout and everything else to stderr; untrusted text passes through
//! [`process::terminal`] before a person sees it.

pub mod cli;
pub mod command;
pub mod error;
pub mod exit;
pub mod settings;
pub mod start;

pub mod runner;
pub mod sweep;

pub mod grader;
mod mcp_servers;
pub mod models;
pub mod providers;
mod web;

pub mod fetch;
pub mod folders;
pub mod reporter;
pub mod run;

pub mod process;
