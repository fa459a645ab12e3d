//! Flags and settings of `rlm-eval run`.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, Args, Command};
use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::flags::{MayNamePlace, NotFromFile, NotShared, RunOnly};
use super::values::{Seconds, decimal, names, whole};
use super::{
    BenchmarkArgs, EngineArgs, EngineSettings, GraderSettings, Keys, Partition, PlaceFlag,
    QueueArgs, QueueSettings, Resolved, RunMode, RunPowerArgs, ScorerArgs, SettingsError,
    ShardAssignment, StartArgs, benchmark, budget, flags, grader, layers, places, queue,
    recorded_flags, servers,
};
use crate::process::env_vars;
use crate::process::invocation::quoted;
use crate::run::request_recorder::RequestRecorder;

/// The flags of `rlm-eval run`.
#[derive(Debug, Clone, Args, Serialize)]
#[command(
    after_help = DETAILS,
    override_usage = "rlm-eval run [OPTIONS] --benchmark <NAME> --model <REF>\n       \
                      rlm-eval run [OPTIONS] --resume <DIR>",
    allow_negative_numbers = true,
    mut_arg("model", |model| model.required(false).required_unless_present("resume"))
)]
pub struct RunArgs {
    /// Benchmark: a name from `rlm-eval list benchmarks`, or your own, as a file of rows (*.jsonl,
    /// *.json, *.csv, *.parquet) or a folder DIR/ with a benchmark.yaml
    #[arg(
        long,
        required = false,
        required_unless_present = "resume",
        value_name = "NAME",
        help_heading = "Benchmark",
        add = RunOnly,
        add = MayNamePlace
    )]
    pub benchmark: String,

    /// Options of the benchmark.
    #[command(flatten)]
    pub options: BenchmarkArgs,

    /// Run only samples whose metadata matches one of the values of each KEY:
    /// domain=law|code,difficulty=hard
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "KEY=A|B,…",
        help_heading = "Selection",
        add = RunOnly
    )]
    pub filter: Vec<String>,

    /// Run only the samples with these ids
    #[arg(
        long = "sample-ids",
        alias = "selected-problems",
        value_delimiter = ',',
        value_name = "ID,…",
        help_heading = "Selection",
        add = RunOnly
    )]
    pub selected_problems: Vec<String>,

    /// Run at most this many samples [default: all]
    #[arg(
        long = "max-samples",
        alias = "max-tasks",
        value_parser = whole::<usize>(1..=1_000_000),
        value_name = "N",
        help_heading = "Selection",
        add = RunOnly
    )]
    #[serde(rename = "max_tasks")]
    pub max_samples: Option<usize>,

    /// Choose the samples of --max-samples at random. The same seed chooses the same samples, and a
    /// larger --max-samples includes those of a smaller one [default: the first ones]
    #[arg(
        long,
        value_parser = whole::<u64>(0..=u64::MAX),
        value_name = "N",
        help_heading = "Selection",
        add = RunOnly
    )]
    pub sample_seed: Option<u64>,
    /// Run only shard M of N, as in 2/8: samples are sorted by the hashes of their ids and assigned
    /// to shards in turn. `auto` reads M and N from a Kubernetes Indexed Job or a Slurm array.
    /// `rlm-eval merge` joins the shards [default: all samples]
    #[arg(long, value_name = "M/N", help_heading = "Selection", add = RunOnly)]
    pub partition: Option<Partition>,

    /// Independent attempts for each sample
    #[arg(
        long,
        value_parser = whole::<u32>(1..=1_000),
        default_value_t = 1,
        value_name = "N",
        help_heading = "Selection",
        add = RunOnly
    )]
    pub attempts: u32,

    /// Settings of the scorer.
    #[command(flatten)]
    pub scoring: ScorerArgs,

    /// Settings of the agents.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// Permissions of the run.
    #[command(flatten)]
    #[serde(skip)]
    pub powers: RunPowerArgs,

    /// Queue whose workers run the attempts.
    #[command(flatten)]
    #[serde(skip_serializing_if = "QueueArgs::is_unused")]
    pub queue: QueueArgs,

    /// Parent folder of the run's folder
    #[arg(
        long,
        default_value = "results",
        value_name = "DIR",
        help_heading = "Run",
        add = NotFromFile,
        add = NotShared("use --out")
    )]
    pub log_dir: PathBuf,

    /// Concurrency and stop conditions.
    #[command(flatten)]
    #[serde(flatten)]
    pub conduct: ConductArgs,

    /// Record every request sent to a server, including retries, with its body but without keys, in
    /// the folder `requests` of the run
    #[arg(long, help_heading = "Recording")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub record_requests: bool,

    /// Interval in seconds at which the journals of attempts in progress are synced to disk. A
    /// power failure loses at most the responses of one interval [default: only when an attempt
    /// ends]
    #[arg(long, value_name = "SECONDS", help_heading = "Recording")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fsync_interval: Option<Seconds>,

    /// Flags of this start.
    #[command(flatten)]
    #[serde(skip)]
    pub start: StartArgs,
}

/// Settings that each start of a run may change.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Run")]
pub struct ConductArgs {
    /// Maximum concurrent attempts
    #[arg(long, value_parser = whole::<usize>(1..=1_000), default_value_t = 5, value_name = "N")]
    pub concurrency: usize,

    /// Exit with code 100 if the mean score (0 to 1) is below this value [default: no gate]
    #[arg(long, value_parser = decimal(0.0..=1.0), value_name = "SCORE")]
    pub min_score: Option<f64>,

    /// Stop the run with exit code 1 once too many attempts have ended in an error: a count (5), or
    /// a share of all attempts (0.1) [default: never]
    #[arg(long, value_name = "SHARE|COUNT", add = RunOnly)]
    pub fail_on_error: Option<ErrorGate>,
}

impl RunArgs {
    /// Selects these samples in this order, overriding any other selection.
    pub fn select_only(&mut self, samples: &[String]) {
        self.selected_problems = samples.to_vec();
        self.filter = Vec::new();
        self.max_samples = None;
        self.sample_seed = None;
        self.partition = None;
    }
}

impl<'de> Deserialize<'de> for RunArgs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        recorded_flags::read(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Returns the current name of a flag of `rlm-eval run`, given its current or an earlier name;
/// `None` for an unknown flag.
pub(crate) fn canonical_flag(flag: &str) -> Option<String> {
    let command = RunArgs::augment_args(Command::new("run"));
    let of_this_name = |argument: &&Arg| flags::names(argument).any(|name| name == flag);
    let argument = command.get_arguments().find(of_this_name)?;
    argument.get_long().map(str::to_owned)
}

/// Returns advice about a flag of `rlm-eval run` that the cells of a sweep cannot share; `None` if
/// they can.
pub(crate) fn instead_of_sharing(flag: &str) -> Option<&'static str> {
    let command = RunArgs::augment_args(Command::new("run"));
    let mut arguments = command.get_arguments();
    let argument = arguments.find(|argument| argument.get_long() == Some(flag))?;
    argument.get::<NotShared>().map(|shared| shared.0)
}

/// Resolved settings of a run.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// Name of the benchmark in the catalog, or path of a user-supplied one.
    pub benchmark: String,
    /// Options of the benchmark.
    pub benchmark_options: benchmarks::Options,
    /// Selection of samples.
    pub selection: Selection,
    /// Scorers and their settings.
    pub grader: GraderSettings,
    /// Independent attempts at each sample; at least 1.
    pub attempts: u32,
    /// Parent folder of the run's folder.
    pub log_dir: PathBuf,
    /// Concurrency and stop conditions.
    pub conduct: ConductArgs,
    /// Flags of this start.
    pub start: StartArgs,
    /// Whether rows of the benchmark may name programs to run.
    pub allow_commands: bool,
    /// Permissions of this start, as the flags that grant them.
    pub powers: Vec<String>,
    /// Queue whose workers run the attempts, if any.
    pub queue: Option<QueueSettings>,
    /// Settings of the agents.
    pub engine: EngineSettings,
    /// Interval between syncs of journals to disk; `None` to sync only when an attempt ends.
    pub fsync_interval: Option<Duration>,
    /// Attempt that the run's attempt continues, if the run is a fork: the `origin` of
    /// `config.json`.
    pub origin: Option<Value>,
    /// The flags as JSON, from which `--resume` restores these settings.
    pub flags: Value,
}

/// Number or share of errors that stops a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ErrorGate {
    /// Share of all attempts, above 0 and below 1.
    Share(f64),
    /// Number of attempts, at least 1.
    Count(u64),
}

/// Parses a share below 1 or a whole number from 1.
impl FromStr for ErrorGate {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const MOST: f64 = 1e9;
        match text.trim().parse() {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Self::Share(share)),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number within bounds"
            )]
            Ok(count) if (1.0..=MOST).contains(&count) && count.fract() == 0.0 => {
                Ok(Self::Count(count as u64))
            }
            _ => Err(
                "expected a share of all attempts, above 0 and below 1, or a count as a whole number from 1",
            ),
        }
    }
}

/// Serializes the number that was typed.
impl Serialize for ErrorGate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(match self {
            Self::Share(share) => *share,
            Self::Count(count) => *count as f64,
        })
    }
}

impl ErrorGate {
    /// Returns the maximum number of errors with which a run of `attempts` attempts continues.
    pub fn allowed(self, attempts: u64) -> u64 {
        match self {
            // Round up: the first error that reaches the share stops the run. Subtract 1e-9 first,
            // because as a float, 0.1 is slightly more than a tenth.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of a count"
            )]
            Self::Share(share) => {
                ((share * attempts as f64 - 1e-9).ceil() as u64).saturating_sub(1)
            }
            Self::Count(count) => count - 1,
        }
    }
}

/// Selection of a benchmark's samples.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Maximum number of samples, at least 1: the first ones, or random ones with `sample_seed`.
    pub max_samples: Option<usize>,
    /// Ids to keep; empty for all.
    pub ids: Vec<String>,
    /// Metadata filters: each key with its accepted values.
    pub filters: Vec<(String, Vec<String>)>,
    /// Seed of a random selection of `max_samples` samples.
    pub sample_seed: Option<u64>,
    /// Shard of the remaining samples; `None` for all.
    pub partition: Option<Partition>,
    /// Rule that assigns samples to shards.
    pub shard_assignment: ShardAssignment,
}

impl Selection {
    /// Returns the selection of these flags.
    ///
    /// # Errors
    /// A [`SettingsError`] for an invalid filter.
    pub(super) fn of(args: &RunArgs) -> Result<Self, SettingsError> {
        Ok(Self {
            max_samples: args.max_samples,
            ids: names(&args.selected_problems),
            filters: filters(&args.filter)?,
            sample_seed: args.sample_seed,
            partition: args.partition,
            shard_assignment: ShardAssignment::default(),
        })
    }
}

impl RunSettings {
    /// Checks that settings from a `folder` use only servers that this start names. `typed` is the
    /// value of `--base-url`, and `command` the command that would pass it, without the program's
    /// name.
    ///
    /// # Errors
    /// [`SettingsError`] for the first server that this start does not name.
    pub fn check_addresses(
        &self,
        folder: &Path,
        typed: Option<&str>,
        command: &str,
    ) -> Result<(), SettingsError> {
        let judge = self.grader.judge.as_ref().map(|judge| &judge.models);
        let mut all = [&self.engine.models].into_iter().chain(judge);
        match all.find_map(|models| servers::first_untrusted_url(&models.servers, typed)) {
            None => Ok(()),
            Some(address) => Err(SettingsError::with_hint(
                format!(
                    "{} names the server {address}, which this start does not name",
                    folder.display()
                ),
                format!(
                    "if you trust it, run `rlm-eval {command} --base-url {}`, or set {}={address}",
                    quoted(address),
                    env_vars::of_flag("--base-url")
                ),
            )),
        }
    }

    /// Returns the flags that must be repeated to resume the run, quoted for a shell: servers,
    /// files and folders, and permissions.
    pub fn flags_to_repeat(&self) -> Vec<String> {
        let url = self.flags.pointer("/engine/models/base_url");
        let url = url.and_then(Value::as_str);
        let url = url.filter(|_| self.check_addresses(&self.log_dir, None, "").is_err());
        let url = url.map(|url| format!("--base-url {}", quoted(url)));
        // This program serialized the flags, so they are valid.
        let places = places::recorded_places::<RunArgs>(&self.flags).unwrap_or_default();
        let places = places.iter().map(PlaceFlag::to_string);
        let words = url.into_iter().chain(places);
        words.chain(self.powers.iter().cloned()).collect()
    }

    /// Resolves the flags of a run.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first invalid flag. Options of the benchmark are validated
    /// later, when the benchmark is opened.
    pub fn resolve(args: &RunArgs) -> Result<Resolved<Self>, SettingsError> {
        Self::at(args, RunMode::New)
    }

    /// Resolves the flags; `start` decides how settings without effect are handled.
    pub(crate) fn at(args: &RunArgs, start: RunMode) -> Result<Resolved<Self>, SettingsError> {
        let (benchmark, benchmark_options) = benchmark::resolve(&args.benchmark, &args.options)?;
        let selection = Selection::of(args)?;
        let mut flags = serde_json::to_value(args).map_err(|error| {
            SettingsError::new(format!(
                "a path among the flags cannot be stored with the run: {error}"
            ))
        })?;
        let without_queue = [
            (
                "--record",
                args.engine.store.record.is_some(),
                "a cassette records the responses of one process",
            ),
            (
                "--record-requests",
                args.record_requests,
                "workers send the requests but do not have the run directory",
            ),
            (
                "--partition",
                args.partition.is_some(),
                "the queue distributes all samples among its workers",
            ),
            (
                "--dry-run",
                args.start.estimate.dry_run,
                "its output is the same without --queue",
            ),
        ];
        let queue = queue::resolve(&args.queue, args.start.detach, &without_queue)?;
        let lacks_timer = queue.as_ref().is_some_and(|queue| queue.detach)
            && args.engine.budget.time_limit.is_some();
        let lacks_timer = lacks_timer.then_some(
            "--time-limit has no effect with --detach: the process that submits a run enforces it",
        );
        if let Some(problem) = lacks_timer.filter(|_| start == RunMode::New) {
            return Err(SettingsError::new(problem));
        }
        let keys = if queue.is_some() || args.start.estimate.dry_run && !args.start.check_key {
            Keys::Unneeded
        } else {
            Keys::Needed
        };
        let mut engine = EngineSettings::resolve(&args.engine, keys, start)?;
        engine
            .settings
            .traffic
            .allow_concurrent(args.conduct.concurrency);
        engine.warnings.extend(lacks_timer.map(str::to_owned));
        engine
            .warnings
            .extend(benchmark::unread_data_dir(&benchmark, &args.options));
        engine
            .warnings
            .extend(benchmark::unread_options(&benchmark, &args.options));
        let main = engine.settings.references.main();
        let judge = args.scoring.judge_model.as_ref();
        let mut grader = grader::resolve(
            &args.scoring,
            grader::JUDGE_MODEL,
            &grader::judge_flags(&args.engine.models, main, judge),
            keys,
            args.options.scorers().next(),
            harness::script_isolation(),
        )?;
        grader.further = benchmark::further_scorers(&args.options)?;
        if args.record_requests {
            let recorder = Some(Arc::<RequestRecorder>::default());
            if let Some(judge) = &mut grader.judge {
                judge.models.request_recorder.clone_from(&recorder);
            }
            engine.settings.models.request_recorder = recorder;
        }
        // Record the date, because the run may be resumed on another day.
        let date = &engine.settings.treatment.overrides.date;
        flags["engine"]["guidance"]["layers"]["date"] = date.as_str().into();
        if let Some(judge) = &grader.judge {
            let prices = &engine.settings.prices;
            budget::check_prices(args.engine.budget.of_money(), prices, [&judge.model])?;
            let old = budget::old_prices(prices, [&judge.model], layers::today());
            let is_new = |text: &String| !engine.warnings.contains(text);
            let old = old.filter(is_new);
            engine.warnings.extend(old);
        }
        Ok(engine.map(|engine| Self {
            benchmark,
            benchmark_options,
            selection,
            grader,
            attempts: args.attempts,
            log_dir: args.log_dir.clone(),
            conduct: args.conduct.clone(),
            start: args.start.clone(),
            allow_commands: args.powers.allow_commands,
            powers: [args.powers.words(), args.engine.powers.words()].concat(),
            queue,
            engine,
            fsync_interval: args.fsync_interval.as_deref().copied(),
            origin: None,
            flags,
        }))
    }
}

/// Parses filters of the form `key=a|b`.
fn filters(given: &[String]) -> Result<Vec<(String, Vec<String>)>, SettingsError> {
    let filter = |given: String| {
        let (key, values) = given.split_once('=').unwrap_or_default();
        let values: Vec<String> = values
            .split('|')
            .map(|value| value.trim().to_owned())
            .collect();
        if key.trim().is_empty() || values.iter().any(String::is_empty) {
            return Err(SettingsError::new(format!(
                "--filter: invalid filter `{given}`: expected KEY=VALUE or KEY=VALUE|VALUE, such as domain=law|code"
            )));
        }
        Ok((key.trim().to_owned(), values))
    };
    names(given).into_iter().map(filter).collect()
}

const DETAILS: &str = "\
Prints a table of the scores on stdout, and creates a folder in --log-dir with one line for each \
attempt (samples.jsonl, results.csv), the trajectories, and summary.json.

Examples:
  # Your own rows, each with query, context and expected
  rlm-eval run --benchmark questions.jsonl --scorer numeric --model scripted:mine.yaml

  # Two samples of 8,000 characters with a model that needs no network
  rlm-eval run --benchmark s-niah --model scripted --context-len 8k

  # A coordinator with two drivers
  rlm-eval run --benchmark s-niah --model scripted --prompt-mode coordinator \\
      --drivers delegation-first,deadline-return

  # Five ARC tasks twice, and fail a script if fewer than half are solved
  rlm-eval run --benchmark arc --data-dir arc-agi-2 --model replay:run.json \\
      --max-samples 5 --attempts 2 --min-score 0.5 --json > summary.json

  # Resume a run that was interrupted or killed
  rlm-eval run --resume results/s-niah-solver-20261121-092406-5f3a";
