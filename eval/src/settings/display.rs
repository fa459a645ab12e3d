//! How progress and tables are shown, by what stderr and stdout are and by `CI`, `NO_COLOR` and `COLUMNS`.

use std::env;
use std::io::{IsTerminal, stderr, stdout};

use report::columns::WIDTH;

use crate::env_vars;
use crate::reporter::Style;

/// Whether `cargo eval` started the program: Cargo sets variables with the package of what it runs.
pub fn is_run_by_cargo() -> bool {
    let is_ours = |package| package == env!("CARGO_PKG_NAME");
    env::var_os("CARGO").is_some() && env::var_os("CARGO_PKG_NAME").is_some_and(is_ours)
}

/// Fewer columns make a table no more readable.
const NARROWEST: u16 = 40;

/// The columns that tables on stdout may fill: `COLUMNS`, or those of the terminal, or 80 where there is none.
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

    /// Bars if stderr is a terminal that a person watches, lines otherwise, and with `verbose`.
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
