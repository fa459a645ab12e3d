//! Flags of `rlm-eval run --resume`: those of the run that goes on, and on top of them the ones that are typed.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::RunArgs;
use super::environment::Typed;

/// Flags whose variables count for a run that goes on. Of all others the folder knows better than the environment, which
/// may have been made for another run.
const FROM_ENVIRONMENT: [&str; 11] = [
    "concurrency",
    "detach",
    "fail_on_error",
    "json",
    "min_score",
    "queue_ca",
    "queue_cert",
    "queue_creds",
    "queue_key",
    "queue_nkey",
    "verbose",
];

/// The flags of `rlm-eval run --resume DIR`.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct ResumeArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// Whether attempts that ended in an error are made again.
    pub retry_errors: bool,
    /// Whether the run goes on although another program made it.
    pub allow_program_change: bool,
    /// Whether the summary is printed as JSON instead of a table.
    pub json: bool,
    /// Whether all that agents do is shown.
    pub verbose: bool,
    /// The server, where it is typed.
    pub base_url: Option<String>,
    /// Whether a folder for new runs is typed, which makes no sense.
    pub log_dir_given: bool,
    /// The samples that it goes on with, in place of those that were chosen when it was begun: a block more of a race.
    pub samples: Option<Vec<String>>,
    given: ArgMatches,
}

impl ResumeArgs {
    /// The flags, if these matches of `rlm-eval run` ask for a run to go on.
    pub(super) fn of(run: &ArgMatches, typed: &Typed) -> Option<Self> {
        let dir = run.get_one::<PathBuf>("resume")?.clone();
        let mut given = run.clone();
        // A group has no value of its own: only what can be typed is looked at.
        let command = RunArgs::augment_args(Command::new("run"));
        let is_typed = |id: &str| {
            let mut arguments = command.get_arguments();
            let argument = arguments.find(|argument| argument.get_id() == id);
            argument.is_some_and(|argument| typed.has(argument))
        };
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let counts = match run.value_source(id) {
                // Of a file `.env`, too, which is no more than the environment.
                Some(ValueSource::CommandLine | ValueSource::EnvVariable) => {
                    is_typed(id) || FROM_ENVIRONMENT.contains(&id)
                }
                _ => false,
            };
            if !counts {
                // An argument that is not known has no value to clear.
                let _ = given.try_clear_id(id);
            }
        }
        Some(Self {
            dir,
            retry_errors: run.get_flag("retry_errors"),
            allow_program_change: run.get_flag("allow_program_change"),
            json: run.get_flag("json"),
            verbose: run.get_flag("verbose"),
            base_url: run
                .get_one::<String>("base_url")
                .filter(|_| is_typed("base_url"))
                .cloned(),
            samples: None,
            log_dir_given: is_typed("log_dir"),
            given,
        })
    }

    /// The flags of `rlm-eval run --resume DIR` with these switches, and nothing else typed.
    ///
    /// # Errors
    /// Of a variable that stands for one of its flags.
    pub fn of_folder(
        dir: &Path,
        retry_errors: bool,
        allow_program_change: bool,
    ) -> Result<Self, clap::Error> {
        let run = RunArgs::augment_args(Command::new("run"));
        let mut words = vec![OsStr::new("run"), OsStr::new("--resume"), dir.as_os_str()];
        words.extend(retry_errors.then_some(OsStr::new("--retry-errors")));
        words.extend(allow_program_change.then_some(OsStr::new("--allow-program-change")));
        let words: Vec<OsString> = words.into_iter().map(OsStr::to_owned).collect();
        let typed = Typed::in_arguments(&words);
        let matches = run.try_get_matches_from(words)?;
        Self::of(&matches, &typed)
            .ok_or_else(|| clap::Error::new(ErrorKind::MissingRequiredArgument))
    }

    /// The flags of the run that goes on: those it was begun with, and in their place those that are typed.
    ///
    /// # Errors
    /// None of a value, for all were parsed before; clap's own are passed on.
    pub fn over(&self, mut begun_with: RunArgs) -> Result<RunArgs, clap::Error> {
        begun_with.update_from_arg_matches(&self.given)?;
        Ok(begun_with)
    }
}
