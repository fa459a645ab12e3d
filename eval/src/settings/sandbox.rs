//! The REPL's settings.

use harness::sandbox::{Config, Limits};

use super::SettingsError;
use super::bounds::{count, seconds};
use crate::cli::SandboxArgs;

/// Checks the limits.
///
/// # Errors
/// [`SettingsError::OutOfBounds`].
pub(super) fn resolve(args: &SandboxArgs) -> Result<Config, SettingsError> {
    Ok(Config {
        limits: Limits {
            cell_time: seconds("--cell-timeout", args.cell_timeout)?,
            cell_wait: seconds("--cell-wait", args.cell_wait)?,
            output_chars: count("--output-limit", args.output_limit, &(1..=100_000_000))?,
        },
        console: args.console,
    })
}
