//! Shows a run on stderr: bars on a terminal, plain lines elsewhere.

mod bars;
mod lines;

mod activity;
mod tally;

use std::io;

use indicatif::ProgressDrawTarget;

use crate::run_event::Reporter;

pub use bars::BarReporter;
pub use lines::LineReporter;

/// The reporter for stderr: bars if it is a terminal that a person watches, lines otherwise.
///
/// `ci` and `no_color` say whether the variables `CI` and `NO_COLOR` are set.
pub fn choose(is_terminal: bool, ci: bool, no_color: bool) -> Box<dyn Reporter> {
    if is_terminal && !ci {
        Box::new(BarReporter::new(ProgressDrawTarget::stderr(), !no_color))
    } else {
        Box::new(LineReporter::new(io::stderr()))
    }
}
