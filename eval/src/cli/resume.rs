//! Flags of `rlm-eval run --resume`: the recorded flags of the run, overridden by typed ones.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use serde_json::Value;

use super::environment::{self, TypedFlags};

use super::places::{self, PlaceFlag, unconfirmed};
use super::{RunArgs, groups, recorded};
use crate::process::invocation::quoted;

/// Flags of `rlm-eval run --resume DIR`.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct ResumeArgs {
    /// Folder of the run.
    pub dir: PathBuf,
    /// Whether attempts that ended in an error are rerun.
    pub retry_errors: bool,
    /// Whether the run may be resumed although another version of the program made it.
    pub allow_program_change: bool,
    /// Whether to print the summary as JSON instead of a table.
    pub json: bool,
    /// Whether to show every event of the agents.
    pub verbose: bool,
    /// Value of `--base-url`, if it is typed.
    pub base_url: Option<String>,
    /// Whether `--log-dir` is typed, which is an error.
    pub log_dir_given: bool,
    /// Samples to run instead of those selected at the start, such as the next block of a race.
    pub samples: Option<Vec<String>>,
    /// Command that resumes the run, without the program's name and before further flags.
    pub command: String,
    given: ArgMatches,
    /// Flags of this start, including all environment variables.
    now: ArgMatches,
    /// Flags on the command line.
    typed: TypedFlags,
}

impl ResumeArgs {
    /// Returns the flags if `run`, the matches of `rlm-eval run`, contains `--resume`.
    pub(super) fn of(run: &ArgMatches, typed: &TypedFlags) -> Option<Self> {
        let dir = run.get_one::<PathBuf>("resume")?.clone();
        let command = format!("run --resume {}", quoted(&dir.display().to_string()));
        Some(Self::over_folder(dir, run, typed, command))
    }

    /// Returns the flags that override those recorded in `dir`. `resumes` is the command that takes
    /// these flags, without the program's name.
    pub(super) fn over_folder(
        dir: PathBuf,
        run: &ArgMatches,
        typed: &TypedFlags,
        resumes: String,
    ) -> Self {
        let mut given = run.clone();
        let from_environment = groups::from_environment();
        let command = RunArgs::augment_args(Command::new("run"));
        let is_typed = |id: &str| {
            let mut arguments = command.get_arguments();
            let argument = arguments.find(|argument| argument.get_id() == id);
            argument.is_some_and(|argument| typed.has(argument))
        };
        // The ids of matches include groups, which have no values, so iterate over the arguments.
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let counts = match run.value_source(id) {
                // Values of a file `.env` have the source `CommandLine`, but count like the
                // environment.
                Some(ValueSource::CommandLine | ValueSource::EnvVariable) => {
                    is_typed(id) || from_environment.contains(id)
                }
                _ => false,
            };
            if !counts {
                // Fails only for unknown ids, which have no value to clear.
                let _ = given.try_clear_id(id);
            }
        }
        Self {
            retry_errors: run.get_flag("retry_errors"),
            allow_program_change: run.get_flag("allow_program_change"),
            json: run.get_flag("json"),
            verbose: run.get_flag("verbose"),
            base_url: run
                .get_one::<String>("base_url")
                .filter(|_| is_typed("base_url"))
                .cloned(),
            samples: None,
            command: resumes,
            log_dir_given: is_typed("log_dir"),
            given,
            now: run.clone(),
            typed: typed.clone(),
            dir,
        }
    }

    /// Returns the recorded flags whose locations this start must give again.
    ///
    /// # Errors
    /// A sentence about the first invalid recorded value.
    pub fn unconfirmed(&self, flags: &Value) -> Result<Vec<PlaceFlag>, String> {
        let recorded = recorded::matches::<RunArgs>(flags)?;
        let mut places = unconfirmed(&recorded, &self.now, &self.typed);
        // Include the URL, so that one command confirms everything. If only the URL is unconfirmed,
        // its provider's environment variable may confirm it.
        let address = recorded.get_one::<String>("base_url");
        if let Some(address) = address.filter(|_| !places.is_empty() && self.base_url.is_none()) {
            places.push(PlaceFlag {
                flag: "--base-url".to_owned(),
                values: vec![address.clone()],
            });
        }
        Ok(places)
    }

    /// Returns the flags that resume the sweep cell in `dir`: these switches, followed by `typed`
    /// words.
    ///
    /// # Errors
    /// An error for an invalid word.
    pub fn of_folder(
        dir: &Path,
        retry_errors: bool,
        allow_program_change: bool,
        typed: &[String],
    ) -> Result<Self, clap::Error> {
        let powers = groups::powers();
        let run = RunArgs::augment_args(Command::new("run")).mut_args(|argument| {
            match environment::variable(&argument) {
                Some(variable) if powers.contains(argument.get_id().as_str()) => {
                    argument.env(variable).hide_env(true)
                }
                _ => argument,
            }
        });
        let mut words = vec![OsStr::new("run"), OsStr::new("--resume"), dir.as_os_str()];
        words.extend(retry_errors.then_some(OsStr::new("--retry-errors")));
        words.extend(allow_program_change.then_some(OsStr::new("--allow-program-change")));
        words.extend(typed.iter().map(OsStr::new));
        let words: Vec<OsString> = words.into_iter().map(OsStr::to_owned).collect();
        let typed = TypedFlags::in_arguments(&words);
        let own = ["resume", "retry_errors", "allow_program_change"];
        let changes = run.get_arguments().find(|argument| {
            let id = argument.get_id().as_str();
            typed.has(argument)
                && !own.contains(&id)
                && !powers.contains(id)
                && !places::may_confirm(argument)
        });
        if let Some(argument) = changes {
            return Err(clap::Error::raw(
                ErrorKind::ArgumentConflict,
                format!(
                    "--{} cannot change in a resumed sweep; after `--`, only permissions, \
                     --base-url, files and folders may be passed again\n",
                    argument.get_long().unwrap_or_default()
                ),
            ));
        }
        let matches = run.try_get_matches_from(words)?;
        let resume = Self::of(&matches, &typed);
        let mut resume =
            resume.ok_or_else(|| clap::Error::new(ErrorKind::MissingRequiredArgument))?;
        let sweep = dir.parent().unwrap_or(dir).display().to_string();
        resume.command = format!("sweep --resume {} --", quoted(&sweep));
        Ok(resume)
    }

    /// Whether two starts have the same agents and sampling.
    pub fn has_same_agents(first: &RunArgs, second: &RunArgs) -> bool {
        let conduct = groups::engine_conduct();
        let agents = |run: &RunArgs| {
            let mut engine = serde_json::to_value(&run.engine).ok()?;
            remove_flags(&mut engine, &conduct);
            Some(engine)
        };
        agents(first) == agents(second)
    }

    /// Returns the flags of the resumed run: the recorded flags, overridden by typed ones.
    ///
    /// # Errors
    /// An error from clap, but never about a value, because all values were parsed before.
    pub fn over(&self, mut recorded_args: RunArgs) -> Result<RunArgs, clap::Error> {
        recorded_args.update_from_arg_matches(&self.given)?;
        Ok(recorded_args)
    }
}

/// Removes flags from a recorded group and the groups in it.
fn remove_flags(group: &mut Value, flags: &groups::Ids) {
    let Some(all) = group.as_object_mut() else {
        return;
    };
    all.retain(|name, _| !flags.contains(name));
    all.values_mut()
        .for_each(|group| remove_flags(group, flags));
}
