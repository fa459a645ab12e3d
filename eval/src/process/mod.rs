//! The process: this program and how it was called, its environment variables, limits of the
//! machine, messages on stderr, and cleanup.

pub mod program;

pub mod env_vars;
pub mod invocation;

pub mod panic_hook;
pub mod terminal;

pub mod machine_memory;
pub mod open_files;

pub(crate) mod guard;
