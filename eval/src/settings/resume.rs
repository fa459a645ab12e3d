//! Flags and settings of `rlm-eval run --resume`: recorded flags, overridden by typed ones.
//!
//! The folder may come from someone else, so servers, files and folders that only it names must be
//! confirmed on the command line.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use records::run_dir;
use serde_json::Value;

use super::flags::TypedFlags;
use super::flags::{Ids, ids, union};
use super::places::{PlaceFlag, unconfirmed};
use super::powers::is_permission;
use super::recorded_flags::unrecorded;
use super::values::fields;
use super::{
    BudgetArgs, ConductArgs, QueueAccessArgs, Resolved, ResumePolicy, RunArgs, RunMode,
    RunSettings, Selection, ServerArgs, SettingsError, ShardAssignment, StoreArgs, TrafficArgs,
    context_length, environment, places, recorded_flags,
};
use crate::process::invocation::quoted;

/// Flags of `rlm-eval run --resume DIR`.
#[derive(Debug, Clone)]
pub struct ResumeArgs {
    /// Folder of the run.
    pub dir: PathBuf,
    /// What is accepted and run again.
    pub policy: ResumePolicy,
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
    pub(crate) fn of(run: &ArgMatches, typed: &TypedFlags) -> Option<Self> {
        let dir = run.get_one::<PathBuf>("resume")?.clone();
        let command = format!("run --resume {}", quoted(&dir.display().to_string()));
        Some(Self::over_folder(dir, run, typed, command))
    }

    /// Returns the flags that override those recorded in `dir`. `resumes` is the command that takes
    /// these flags, without the program's name.
    pub(crate) fn over_folder(
        dir: PathBuf,
        run: &ArgMatches,
        typed: &TypedFlags,
        resumes: String,
    ) -> Self {
        let mut given = run.clone();
        let from_environment = from_environment();
        let command = RunArgs::augment_args(Command::new("run"));
        // The ids of matches include groups, which have no values, so iterate over the arguments.
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            // Values of a file `.env` have the source `CommandLine`, but count like the
            // environment.
            let is_given = matches!(
                run.value_source(id),
                Some(ValueSource::CommandLine | ValueSource::EnvVariable)
            );
            if !is_given || !typed.has(argument) && !from_environment.contains(id) {
                // Fails only for unknown ids, which have no value to clear.
                let _ = given.try_clear_id(id);
            }
        }
        Self {
            policy: ResumePolicy {
                retry_errors: run.get_flag("retry_errors"),
                allow_program_change: run.get_flag("allow_program_change"),
            },
            base_url: run
                .get_one::<String>("base_url")
                .filter(|_| typed.has_name("base-url"))
                .cloned(),
            samples: None,
            command: resumes,
            log_dir_given: typed.has_name("log-dir"),
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
        let recorded = recorded_flags::matches::<RunArgs>(flags)?;
        let mut places = unconfirmed::<RunArgs>(&recorded, &self.now, &self.typed);
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

    /// Returns the flags that resume the sweep cell in `dir`, including the `typed` words.
    ///
    /// # Errors
    /// An error for an invalid word.
    pub fn of_cell(
        dir: &Path,
        policy: ResumePolicy,
        typed: &[String],
    ) -> Result<Self, clap::Error> {
        let is_allowed = |argument: &Arg| {
            is_permission(argument.get_id().as_str()) || places::may_confirm(argument)
        };
        let allowed = "permissions, --base-url, files and folders";
        let sweep = dir.parent().unwrap_or(dir).display().to_string();
        Ok(Self {
            policy,
            command: format!("sweep --resume {} --", quoted(&sweep)),
            ..Self::of_words(dir, typed, is_allowed, allowed)?
        })
    }

    /// Returns the flags with the files and folders that a worker confirms for the runs of a queue.
    ///
    /// # Errors
    /// An error for an invalid word.
    pub fn of_worker(typed: &[String]) -> Result<Self, clap::Error> {
        let is_allowed =
            |argument: &Arg| places::may_confirm(argument) && argument.get_id() != "base_url";
        Self::of_words(Path::new("."), typed, is_allowed, "files and folders")
    }

    /// Parses words after `--`. `allowed` describes the flags for which `is_allowed` is true.
    fn of_words(
        dir: &Path,
        typed: &[String],
        is_allowed: impl Fn(&Arg) -> bool,
        allowed: &str,
    ) -> Result<Self, clap::Error> {
        let run = RunArgs::augment_args(Command::new("run")).mut_args(|argument| {
            if is_permission(argument.get_id().as_str()) {
                environment::with_variable(argument)
            } else {
                argument
            }
        });
        let mut words = vec![OsStr::new("run"), OsStr::new("--resume"), dir.as_os_str()];
        words.extend(typed.iter().map(OsStr::new));
        let words: Vec<OsString> = words.into_iter().map(OsStr::to_owned).collect();
        let typed = TypedFlags::in_arguments(&words);
        let refused = run.get_arguments().find(|argument| {
            typed.has(argument) && argument.get_id() != "resume" && !is_allowed(argument)
        });
        if let Some(argument) = refused {
            return Err(clap::Error::raw(
                ErrorKind::ArgumentConflict,
                format!(
                    "--{} is not allowed after `--`, where only {allowed} may be passed\n",
                    argument.get_long().unwrap_or_default()
                ),
            ));
        }
        let matches = run.try_get_matches_from(words)?;
        let dir = dir.to_owned();
        Ok(Self::over_folder(dir, &matches, &typed, String::new()))
    }

    /// Whether two starts have the same agents and sampling.
    pub fn has_same_agents(first: &RunArgs, second: &RunArgs) -> bool {
        let conduct = engine_conduct();
        let agents = |run: &RunArgs| {
            let mut engine = fields(&run.engine);
            recorded_flags::retain(&mut engine, &mut |key, _| !conduct.contains(key));
            engine
        };
        agents(first) == agents(second)
    }

    /// Returns the flags of the resumed run: the recorded flags, overridden by typed ones.
    ///
    /// # Errors
    /// An error from clap, but never about a value, because all values were parsed before.
    pub fn over(&self, mut recorded_args: RunArgs) -> Result<RunArgs, clap::Error> {
        let overrides = &mut recorded_args.engine.guidance.layers;
        overrides.clear_excluded_by(&self.given);
        recorded_args.update_from_arg_matches(&self.given)?;
        Ok(recorded_args)
    }
}

/// Returns the flags whose environment variables apply to a resumed run. For other flags, the
/// folder takes precedence over the environment, which may be meant for another run.
fn from_environment() -> Ids {
    union([unrecorded(), ids::<ConductArgs>(), ids::<QueueAccessArgs>()])
}

/// Returns the flags of [`super::EngineArgs`] that cannot change an answer.
fn engine_conduct() -> Ids {
    union([
        ids::<BudgetArgs>(),
        ids::<TrafficArgs>(),
        ids::<StoreArgs>(),
        ids::<ServerArgs>(),
    ])
}

/// Settings for resuming a run.
#[derive(Debug, Clone)]
pub struct ResumeSettings {
    /// Folder of the run.
    pub dir: PathBuf,
    /// What is accepted and run again.
    pub policy: ResumePolicy,
    /// Recorded settings, overridden by typed flags.
    pub run: RunSettings,
    /// The same settings with the recorded selection of samples, if typed flags select others.
    pub begun: Option<RunSettings>,
}

impl ResumeSettings {
    /// Resolves the flags of a resumed run: those in its `config.json`, overridden by typed flags.
    ///
    /// # Errors
    /// A [`SettingsError`] if the folder contains no run that can be resumed, or for the first
    /// invalid flag. Compatibility with the recorded attempts is checked later, when the run
    /// is opened.
    pub fn resolve(args: &ResumeArgs) -> Result<Resolved<Self>, SettingsError> {
        let dir = args.dir.clone();
        if args.log_dir_given {
            return Err(SettingsError::new(format!(
                "--log-dir applies only to new runs; --resume continues in the folder {}",
                dir.display()
            )));
        }
        let RecordedRun {
            path,
            config,
            flags: begun_with,
        } = RecordedRun::read(args)?;
        let not_resumable =
            |problem: String| SettingsError::new(format!("{}: {problem}", path.display()));
        let begun_on = begun_with.engine.guidance.layers.date.clone();
        let mut flags = args
            .over(begun_with.clone())
            .map_err(|problem| not_resumable(problem.to_string()))?;
        let given = &flags.engine.guidance.layers.date;
        if let (Some(begun_on), Some(given)) = (&begun_on, given)
            && given.trim() != begun_on
        {
            let problem = format!(
                "this run was started with --date {begun_on} and cannot be resumed with --date {}",
                given.trim()
            );
            return Err(not_resumable(problem));
        }
        if let Some(samples) = &args.samples {
            flags.select_only(samples);
        }
        let start = if ResumeArgs::has_same_agents(&flags, &begun_with) {
            RunMode::Resume
        } else {
            RunMode::New
        };
        let mut resolved = RunSettings::at(&flags, start)?;
        let run = &mut resolved.settings;
        run.origin = config.get("origin").cloned();
        run.selection.shard_assignment = shard_assignment(&config, run).map_err(not_resumable)?;
        run.engine.append_cassette = true;
        if let Some(earlier) = run.engine.models.moved_from(&config) {
            let now: Vec<&str> = run.engine.models.base_urls().into_values().collect();
            resolved.notes.push(format!(
                "model servers: now {}, previously {earlier}; config.json records both",
                now.join(", ")
            ));
        }
        let run = &mut resolved.settings;
        run.check_addresses(&dir, args.base_url.as_deref(), &args.command)?;
        let begun = match &args.samples {
            None => with_recorded_samples(run, &begun_with)?,
            Some(_) => None,
        };
        Ok(resolved.map(|run| Self {
            dir,
            policy: args.policy,
            run,
            begun,
        }))
    }
}

/// Returns the settings `run` with the samples that the flags `begun` select; `None` if `run`
/// selects them in the same way.
///
/// # Errors
/// A [`SettingsError`] for an invalid recorded flag.
fn with_recorded_samples(
    run: &RunSettings,
    begun: &RunArgs,
) -> Result<Option<RunSettings>, SettingsError> {
    let mut earlier = run.clone();
    earlier.selection = Selection::of(begun)?;
    earlier.selection.shard_assignment = run.selection.shard_assignment.clone();
    let options = &mut earlier.benchmark_options;
    options.context_lengths = context_length::parse_all(&begun.options.context_len)?;
    options.tasks_per_length = begun.options.tasks_per_length;
    let is_same = earlier.selection == run.selection
        && options.context_lengths == run.benchmark_options.context_lengths
        && options.tasks_per_length == run.benchmark_options.tasks_per_length;
    Ok((!is_same).then_some(earlier))
}

/// Recorded settings of a run that is resumed or forked.
pub(crate) struct RecordedRun {
    /// Path of `config.json`.
    pub path: PathBuf,
    /// Content of `config.json` without `flags`.
    pub config: Value,
    /// Flags of the run.
    pub flags: RunArgs,
}

impl RecordedRun {
    /// Reads the recorded settings of the run in `args.dir`.
    ///
    /// # Errors
    /// A [`SettingsError`] if the folder contains no run of this program, or if its flags name
    /// servers, files or folders that were not typed.
    pub fn read(args: &ResumeArgs) -> Result<Self, SettingsError> {
        let (path, mut config) = run_dir::read_config(&args.dir)?;
        let flags = config.get_mut("flags").map(Value::take);
        let wrong = |problem: String| SettingsError::new(format!("{}: {problem}", path.display()));
        let Some(flags) = flags else {
            let problem = "missing `flags`: this run was not started by `rlm-eval run`";
            return Err(wrong(problem.to_owned()));
        };
        let places = args
            .unconfirmed(&flags)
            .map_err(|problem| wrong(format!("flags: {problem}")))?;
        check_places(&path, &places, &args.command)?;
        let flags =
            serde_json::from_value(flags).map_err(|problem| wrong(format!("flags: {problem}")))?;
        Ok(Self {
            path,
            config,
            flags,
        })
    }
}

/// Rejects servers, files and folders that only a file names. `command` is the current command
/// without the program's name; the hint appends their flags to it.
///
/// # Errors
/// A [`SettingsError`] whose hint is the complete command.
pub fn check_places(file: &Path, places: &[PlaceFlag], command: &str) -> Result<(), SettingsError> {
    if places.is_empty() {
        return Ok(());
    }
    let flags: Vec<String> = places.iter().map(PlaceFlag::to_string).collect();
    let flags = flags.join(" ");
    Err(SettingsError::with_hint(
        format!(
            "{} names servers, files or folders that this start does not name: {flags}",
            file.display()
        ),
        format!("if you trust them, run `rlm-eval {command} {flags}`"),
    ))
}

/// Returns how samples were assigned to the shard when it started, from its `config.json`.
///
/// # Errors
/// A message if these flags would change the shard, or if the file lacks required values.
fn shard_assignment(config: &Value, run: &RunSettings) -> Result<ShardAssignment, String> {
    let begun = |name: &str| config.get("benchmark").and_then(|all| all.get(name));
    let Some(share) = begun("partition").and_then(Value::as_str) else {
        return Ok(ShardAssignment::default());
    };
    let now = run.selection.partition;
    let now = now.map(|partition| partition.to_string());
    if now.as_deref() != Some(share) {
        let now = now.map_or_else(|| "the whole run".to_owned(), |now| format!("shard {now}"));
        return Err(format!(
            "this run is shard {share} and cannot be resumed as {now}"
        ));
    }
    match begun("partition_rule").map_or(Some(1), Value::as_u64) {
        Some(1) => return Ok(ShardAssignment::ByHash),
        Some(2) => {}
        rule => {
            let rule = rule.map_or_else(|| "no number".to_owned(), |rule| rule.to_string());
            return Err(format!(
                "benchmark.partition_rule is {rule}; this program knows the rules 1 and 2"
            ));
        }
    }
    let fixed = [
        ("filters", "--filter"),
        ("max_tasks", "--max-samples"),
        ("selected_problems", "--sample-ids"),
        ("sample_seed", "--sample-seed"),
        ("context_lengths", "--context-len"),
        ("tasks_per_length", "--samples-per-length"),
    ];
    let now = &run.recorded()["benchmark"];
    if let Some((_, flag)) = fixed.iter().find(|(name, _)| begun(name) != now.get(name)) {
        return Err(format!(
            "{flag} cannot change: this run is shard {share}, whose samples were assigned at its start; merge the \
             shards and resume the merged run"
        ));
    }
    let samples = begun("partition_samples").cloned().unwrap_or_default();
    let samples = serde_json::from_value(samples);
    samples
        .map(ShardAssignment::Recorded)
        .map_err(|problem| format!("benchmark.partition_samples: {problem}"))
}
