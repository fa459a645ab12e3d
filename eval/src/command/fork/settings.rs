//! Flags and settings of `rlm-eval fork`: the recorded flags of a run, overridden by typed ones.

use std::path::{Path, PathBuf};

use clap::builder::{NonEmptyStringValueParser, Resettable};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use harness::journal::ForkPoint;

use crate::process::invocation::quoted;
use crate::settings::flags::RunOnly;
use crate::settings::flags::TypedFlags;
use crate::settings::resume::RecordedRun;
use crate::settings::values::whole;
use crate::settings::{Resolved, ResumeArgs, RunArgs, RunMode, RunSettings, SettingsError};

/// Flags of `rlm-eval fork RUN SAMPLE`.
#[derive(Debug, Clone)]
pub struct ForkArgs {
    /// Attempt to continue.
    pub target: ForkTarget,
    /// Settings of the fork that differ from those of the run.
    pub changes: ResumeArgs,
}

/// Parses the first new iteration of a fork: a number from 1, or `end`.
fn fork_point(text: &str) -> Result<ForkPoint, &'static str> {
    let text = text.trim();
    if text == "end" {
        return Ok(ForkPoint::End);
    }
    let iteration = text.parse().ok().filter(|iteration| *iteration > 0);
    iteration
        .map(ForkPoint::Before)
        .ok_or("expected an iteration number from 1, or `end`")
}

/// Attempt that a fork continues, and where.
#[derive(Debug, Clone, Args)]
pub struct ForkTarget {
    /// Folder of the run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// Sample whose attempt is continued
    #[arg(value_name = "SAMPLE")]
    pub sample: String,

    /// Number of the attempt at the sample
    #[arg(
        long,
        value_parser = whole::<u32>(1..=1_000),
        default_value_t = 1,
        value_name = "N",
        help_heading = "Fork"
    )]
    pub attempt: u32,

    /// First new iteration of the root. Responses to earlier ones come from the run's journal,
    /// without requests
    #[arg(
        long,
        value_parser = fork_point,
        default_value = "end",
        value_name = "ITERATION|end",
        help_heading = "Fork"
    )]
    pub at: ForkPoint,

    /// Text to append to the latest user message in the first new request
    #[arg(
        long,
        value_parser = NonEmptyStringValueParser::new(),
        value_name = "TEXT",
        help_heading = "Fork"
    )]
    pub note: Option<String>,
}

impl ForkArgs {
    /// Returns the flags of `rlm-eval fork` in clap's matches.
    ///
    /// # Errors
    /// Returns an error if a typed flag applies only to `rlm-eval run`.
    pub(crate) fn of(matches: &ArgMatches, typed: &TypedFlags) -> Result<Self, clap::Error> {
        let target = ForkTarget::from_arg_matches(matches)?;
        let command = RunArgs::augment_args(Command::new("run"));
        let mut arguments = command.get_arguments();
        let other = arguments.find(|argument| is_run_only(argument) && typed.has(argument));
        if let Some(argument) = other {
            return Err(clap::Error::raw(
                ErrorKind::ArgumentConflict,
                format!(
                    "--{} does not apply to a fork, which makes one attempt at one sample",
                    argument.get_long().unwrap_or_default()
                ),
            ));
        }
        let folder = quoted(&target.run.display().to_string());
        let mut words = format!("fork {folder} {}", quoted(&target.sample));
        if target.attempt > 1 {
            words += &format!(" --attempt {}", target.attempt);
        }
        if let ForkPoint::Before(iteration) = target.at {
            words += &format!(" --at {iteration}");
        }
        if let Some(note) = &target.note {
            words += &format!(" --note {}", quoted(note));
        }
        Ok(Self {
            changes: ResumeArgs::over_folder(target.run.clone(), matches, typed, words),
            target,
        })
    }

    /// Resolves the settings of the fork: those recorded with the run, overridden by command-line
    /// flags. The fork's folder is created next to the run's folder unless `--log-dir` is typed.
    ///
    /// # Errors
    /// A [`SettingsError`] if the folder contains no run, or for the first invalid flag.
    pub fn resolve(&self) -> Result<Resolved<RunSettings>, SettingsError> {
        let changes = &self.changes;
        let mut flags = RecordedRun::read(changes)?.flags;
        let dir = &self.target.run;
        let beside = dir.parent().filter(|parent| *parent != Path::new(""));
        flags.log_dir = beside.map_or_else(|| PathBuf::from("."), Path::to_owned);
        flags.queue.queue = None;
        flags.engine.store.record = None;
        (flags.conduct.min_score, flags.conduct.fail_on_error) = (None, None);
        let mut flags = changes
            .over(flags)
            .map_err(|problem| SettingsError::new(problem.to_string()))?;
        flags.select_only(std::slice::from_ref(&self.target.sample));
        flags.attempts = 1;
        let resolved = RunSettings::at(&flags, RunMode::New)?;
        let base_url = changes.base_url.as_deref();
        let run = &resolved.settings;
        run.check_addresses(dir, base_url, &changes.command)?;
        Ok(resolved)
    }
}

/// Whether a flag applies to `rlm-eval run` but not to a fork.
fn is_run_only(argument: &Arg) -> bool {
    argument.get::<RunOnly>().is_some()
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
        let command = RunArgs::augment_args(ForkTarget::augment_args(command));
        let command = command.mut_args(|argument| {
            let is_hidden = is_run_only(&argument);
            let argument = argument.hide(is_hidden);
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
