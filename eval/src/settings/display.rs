//! How progress is shown, by what stderr is and by `CI` and `NO_COLOR`.

use std::env;
use std::io::{IsTerminal, stderr};

use crate::env_vars;

/// Whether `cargo eval` started the program: Cargo sets variables with the package of what it runs.
pub fn is_run_by_cargo() -> bool {
    let is_ours = |package| package == env!("CARGO_PKG_NAME");
    env::var_os("CARGO").is_some() && env::var_os("CARGO_PKG_NAME").is_some_and(is_ours)
}

/// What stderr is, and what the user wants of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Display {
    /// Whether a person may watch it.
    pub is_terminal: bool,
    /// `CI` is set to something other than `false`: no bars.
    pub ci: bool,
    /// `NO_COLOR` is set to something: no colours (<https://no-color.org>).
    pub no_color: bool,
}

impl Display {
    /// Looks at stderr and the environment.
    pub fn detect() -> Self {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        Self {
            is_terminal: stderr().is_terminal(),
            ci: set(env_vars::CI).is_some_and(|value| value != "false"),
            no_color: set(env_vars::NO_COLOR).is_some(),
        }
    }
}
