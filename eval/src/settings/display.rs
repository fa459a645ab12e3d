//! How progress and tables are shown, depending on stderr, stdout, `CI`, `NO_COLOR` and `COLUMNS`.

use std::env;
use std::io::{IsTerminal, stderr, stdout};

use report::columns::WIDTH;

use crate::process::env_vars;
use crate::reporter::Style;

/// Whether `cargo eval` started the program: Cargo sets variables that name the package it runs.
pub fn is_run_by_cargo() -> bool {
    let is_ours = |package| package == env!("CARGO_PKG_NAME");
    env::var_os("CARGO").is_some() && env::var_os("CARGO_PKG_NAME").is_some_and(is_ours)
}

/// Minimum table width in columns; narrower tables are not readable.
const NARROWEST: u16 = 40;

/// Returns the width of tables on stdout: `COLUMNS`, or the terminal's width, or 80 without a
/// terminal.
pub fn table_width() -> u16 {
    let given = env::var(env_vars::COLUMNS).ok();
    let given = given.and_then(|columns| columns.trim().parse().ok());
    let of_terminal = || {
        let size = rustix::termios::tcgetwinsize(stdout()).ok()?;
        Some(size.ws_col).filter(|columns| *columns > 0)
    };
    given
        .filter(|columns| *columns > 0)
        .or_else(of_terminal)
        .unwrap_or(WIDTH)
        .max(NARROWEST)
}

/// Properties of stderr, and the user's preferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Display {
    /// Whether stderr is a terminal.
    pub is_terminal: bool,
    /// Whether `CI` is set to a value other than `false`, which disables bars.
    pub ci: bool,
    /// Whether `NO_COLOR` is set, which disables colors (<https://no-color.org>).
    pub no_color: bool,
}

impl Display {
    /// Inspects stderr and the environment.
    pub fn detect() -> Self {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        Self {
            is_terminal: stderr().is_terminal(),
            ci: set(env_vars::CI).is_some_and(|value| value != "false"),
            no_color: set(env_vars::NO_COLOR).is_some(),
        }
    }

    /// Returns bars if stderr is a terminal outside CI, else lines; always lines with `verbose`.
    pub fn style(self, verbose: bool) -> Style {
        if self.is_terminal && !self.ci && !verbose {
            Style::Bars {
                coloured: !self.no_color,
            }
        } else {
            Style::Lines { verbose }
        }
    }
}
