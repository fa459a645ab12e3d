//! `rlm-eval fork`: continues a recorded attempt from one of its iterations, as a separate run.
//!
//! The new run starts with a journal whose lines are copied from the forked attempt and marked as
//! free of charge. The engine resumes from this journal as from any other, so the fork itself can
//! be resumed.

mod settings;

use super::run::{self, Origin};
use crate::error::Error;
use crate::exit::Outcome;
use crate::settings::{RunSettings, SettingsError};

pub(crate) use settings::ForkArgs;
pub(super) use settings::ForkTarget;

/// Starts a run that continues a recorded attempt.
///
/// # Errors
/// [`Error`] for invalid settings, an attempt or iteration that does not exist, and infrastructure
/// failures.
pub fn execute(args: &ForkArgs) -> Result<Outcome, Error> {
    let mut run = args.resolve()?.announce();
    let origin = Origin::open(&args.target)?;
    let journal = origin.draft()?;
    run.origin = Some(origin.recorded(&journal));
    check_iterations(journal.turn, &run)?;
    run::start(&run, None, &run::RunContext::Standalone, Some(&origin))
}

/// Checks that the root's iteration limit allows the first new iteration, `turn`.
fn check_iterations(turn: u32, run: &RunSettings) -> Result<(), Error> {
    let most = run.engine.effective.max_iterations;
    if turn <= most {
        return Ok(());
    }
    Err(SettingsError::with_hint(
        format!("the fork begins with iteration {turn}, but the root may have at most {most}"),
        format!("pass --max-iterations {turn} or more, or an earlier --at"),
    )
    .into())
}
