//! Flags of one start of `rlm-eval run` that are not settings of the run.
//!
//! Invariant: like permissions, they are neither recorded nor read from a file.

use std::path::PathBuf;

use clap::Args;

use super::flags::{NotFromFile, NotShared, RunOnly};
use super::values::whole;

/// Flags of one start.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Run")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a flag without a value is a bool"
)]
pub struct StartArgs {
    /// Resume the run in this folder with its recorded settings. Flags that cannot change an answer
    /// may be passed again; --attempts and --max-samples may increase
    #[arg(long, value_name = "DIR", add = NotFromFile, add = RunOnly, add = NotShared::OF_SWEEP)]
    pub resume: Option<PathBuf>,

    /// Name of the run and of its folder below --log-dir [default: benchmark, mode, prompt and
    /// drivers, time]
    #[arg(long, value_parser = folder_name, value_name = "NAME", conflicts_with = "resume")]
    pub name: Option<String>,

    /// What --resume accepts and runs again.
    #[command(flatten)]
    pub policy: ResumePolicy,

    /// Estimate instead of a run.
    #[command(flatten)]
    pub estimate: EstimateArgs,

    /// With --dry-run: request 16 tokens from the main model, to check whether its server accepts
    /// the key
    #[arg(
        long,
        requires = "dry_run",
        add = RunOnly,
        add = NotShared("use `rlm-eval run --dry-run --check-key` for one cell")
    )]
    pub check_key: bool,

    /// Show every event of the agents, one line each, instead of progress bars; responses are
    /// truncated to 500 characters
    #[arg(long, short = 'v')]
    pub verbose: bool,

    /// Print the summary as JSON on stdout instead of a table
    #[arg(long, add = NotShared::OF_SWEEP)]
    pub json: bool,

    /// With --queue: submit the run and exit; `rlm-eval run --resume` follows it
    #[arg(long, requires = "queue", help_heading = "Queue", add = NotFromFile, add = RunOnly)]
    pub detach: bool,
}

/// Estimate instead of a run or a sweep.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct EstimateArgs {
    /// Show an estimate of requests and cost, without running attempts or writing files
    #[arg(long, conflicts_with = "resume", add = RunOnly, add = NotShared::OF_SWEEP)]
    pub dry_run: bool,

    /// With --dry-run: run the first N samples, in a sweep those of each cell, once each, to base
    /// the estimate on their cost; this creates separate runs in --log-dir and costs money
    /// [default: earlier runs of the same experiment in --log-dir]
    #[arg(
        long,
        value_parser = whole::<usize>(1..=1_000),
        num_args = 0..=1,
        default_missing_value = "2",
        requires = "dry_run",
        value_name = "N",
        add = RunOnly,
        add = NotShared::OF_SWEEP
    )]
    pub pilot: Option<usize>,
}

/// What resuming a run accepts and runs again.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ResumePolicy {
    /// With --resume: continue the attempts that ended in an error, and send their failed requests
    /// again
    #[arg(long, requires = "resume", add = RunOnly, add = NotShared::OF_SWEEP)]
    pub retry_errors: bool,

    /// With --resume: continue although another version of the program made the run; each attempt
    /// records its version
    #[arg(long, requires = "resume", add = NotFromFile, add = RunOnly, add = NotShared::OF_SWEEP)]
    pub allow_program_change: bool,
}

/// Parses a folder name that every file system accepts and that shells need not quote.
///
/// # Errors
/// A description of valid names.
fn folder_name(text: &str) -> Result<String, &'static str> {
    const LONGEST: usize = 160;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    let is_valid = text.len() <= LONGEST
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(is_plain);
    if is_valid {
        Ok(text.to_owned())
    } else {
        Err(
            "expected a file name of at most 160 letters, digits and `._+-` that begins with a letter or digit",
        )
    }
}
