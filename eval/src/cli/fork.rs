//! Flags of `rlm-eval fork`: the recorded flags of a run, overridden by typed ones.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{NonEmptyStringValueParser, Resettable};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::environment::TypedFlags;
use super::values::whole;
use super::{ResumeArgs, RunArgs};
use crate::process::invocation::quoted;

/// Ids of `rlm-eval run` flags that a fork does not accept.
const RUN_ONLY_FLAGS: [&str; 17] = [
    "allow_program_change",
    "attempts",
    "benchmark",
    "check_key",
    "detach",
    "dry_run",
    "fail_on_error",
    "filter",
    "max_tasks",
    "partition",
    "pilot",
    "queue",
    "record",
    "resume",
    "retry_errors",
    "sample_seed",
    "selected_problems",
];

/// Flags of `rlm-eval fork RUN SAMPLE`.
#[derive(Debug, Clone)]
pub struct ForkArgs {
    /// Settings of the fork that differ from those of the run.
    pub changes: ResumeArgs,
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// First new iteration of the fork.
    pub at: ForkAt,
    /// Text to append to the latest user message in the first new request.
    pub note: Option<String>,
}

/// First iteration of a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForkAt {
    /// An iteration of the root, 1-based.
    Iteration(u32),
    /// The iteration after the last one.
    End,
}

impl FromStr for ForkAt {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text == "end" {
            return Ok(Self::End);
        }
        let iteration = text.parse().ok().filter(|iteration| *iteration > 0);
        iteration
            .map(Self::Iteration)
            .ok_or("expected an iteration number from 1, or `end`")
    }
}

#[derive(Debug, Args)]
struct ForkFlags {
    /// Folder of the run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Sample whose attempt is continued
    #[arg(value_name = "SAMPLE")]
    sample: String,

    /// Number of the attempt at the sample
    #[arg(
        long,
        value_parser = whole::<u32>(1..=1_000),
        default_value_t = 1,
        value_name = "N",
        help_heading = "Fork"
    )]
    attempt: u32,

    /// First new iteration of the root. Responses to earlier ones come from the run's journal,
    /// without requests
    #[arg(
        long,
        default_value = "end",
        value_name = "ITERATION|end",
        help_heading = "Fork"
    )]
    at: ForkAt,

    /// Text to append to the latest user message in the first new request
    #[arg(
        long,
        value_parser = NonEmptyStringValueParser::new(),
        value_name = "TEXT",
        help_heading = "Fork"
    )]
    note: Option<String>,
}

impl ForkArgs {
    /// Returns the flags of `rlm-eval fork` in clap's matches.
    ///
    /// # Errors
    /// Returns an error if a typed flag applies only to `rlm-eval run`.
    pub(super) fn of(matches: &ArgMatches, typed: &TypedFlags) -> Result<Self, clap::Error> {
        let own = ForkFlags::from_arg_matches(matches)?;
        let command = RunArgs::augment_args(Command::new("run"));
        let mut arguments = command.get_arguments();
        let other = arguments
            .find(|argument| is_run_only(argument.get_id().as_str()) && typed.has(argument));
        if let Some(argument) = other {
            return Err(clap::Error::raw(
                ErrorKind::ArgumentConflict,
                format!(
                    "--{} does not apply to a fork, which makes one attempt at one sample\n",
                    argument.get_long().unwrap_or_default()
                ),
            ));
        }
        let folder = quoted(&own.run.display().to_string());
        let mut words = format!("fork {folder} {}", quoted(&own.sample));
        if own.attempt > 1 {
            words += &format!(" --attempt {}", own.attempt);
        }
        if let ForkAt::Iteration(iteration) = own.at {
            words += &format!(" --at {iteration}");
        }
        if let Some(note) = &own.note {
            words += &format!(" --note {}", quoted(note));
        }
        Ok(Self {
            changes: ResumeArgs::over_folder(own.run, matches, typed, words),
            sample: own.sample,
            attempt: own.attempt,
            at: own.at,
            note: own.note,
        })
    }
}

/// Whether a flag applies to `rlm-eval run` but not to a fork.
fn is_run_only(id: &str) -> bool {
    RUN_ONLY_FLAGS.contains(&id) || id.starts_with("queue_")
}

impl FromArgMatches for ForkArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::of(matches, &TypedFlags::in_arguments(&[]))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ForkArgs {
    fn augment_args(command: Command) -> Command {
        let command = RunArgs::augment_args(ForkFlags::augment_args(command));
        let command = command.mut_args(|argument| {
            let is_hidden = is_run_only(argument.get_id().as_str());
            let argument = if is_hidden {
                argument.hide(true)
            } else {
                argument
            };
            argument.required_unless_present(Resettable::<clap::Id>::Reset)
        });
        command
            .override_usage("rlm-eval fork [OPTIONS] <RUN> <SAMPLE>")
            .after_help(DETAILS)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

const DETAILS: &str = "\
Makes one attempt in a new run folder, with the settings of RUN unless flags override them. The \
config.json of the fork records its origin and the cost of the inherited iterations.

Examples:
  # Continue an attempt that ran out of iterations
  rlm-eval fork results/s-niah-solver-20261121-092406-5f3a s-niah-8k-1 --max-iterations 40

  # Try another model and a hint, beginning with the fifth iteration
  rlm-eval fork results/mine q3 --at 5 --model openai/gpt-5 --note 'Check the units.'";
