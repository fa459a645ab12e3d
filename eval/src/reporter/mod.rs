//! Shows a run on stderr: bars on a terminal, plain lines elsewhere.

mod bars;
mod lines;

mod activity;
mod tally;
mod verbose;

use std::io;

use indicatif::ProgressDrawTarget;

use crate::run::event::Reporter;

pub use bars::BarReporter;
pub use lines::LineReporter;
pub use verbose::Narrator;

/// Form in which progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Bars, for a person at a terminal.
    Bars {
        /// Whether the bars are colored.
        coloured: bool,
    },
    /// Lines, for logs.
    Lines {
        /// Whether to also write lines for the events of agents.
        verbose: bool,
    },
}

/// Returns the reporter for stderr.
pub fn on_stderr(style: Style) -> Box<dyn Reporter> {
    match style {
        Style::Bars { coloured } => {
            Box::new(BarReporter::new(ProgressDrawTarget::stderr(), coloured))
        }
        Style::Lines { verbose } => Box::new(LineReporter::new(io::stderr(), verbose)),
    }
}
