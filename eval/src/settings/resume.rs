//! Settings of `rlm-eval run --resume`.
//!
//! Typed flags override recorded flags. The folder may come from someone else, so servers,
//! files and folders that only it names must be confirmed on the command line.

use std::path::{Path, PathBuf};

use records::run_dir;
use serde_json::{Value, json};

use super::{Resolved, RunMode, RunSettings, SettingsError, ShardAssignment};
use crate::cli::{PlaceFlag, ResumeArgs, RunArgs};

/// Settings for resuming a run.
#[derive(Debug, Clone)]
pub struct ResumeSettings {
    /// Folder of the run.
    pub dir: PathBuf,
    /// Whether attempts that ended in an error are rerun.
    pub retry_errors: bool,
    /// Whether the run may be resumed although another program version started it.
    pub allow_program_change: bool,
    /// Recorded settings, overridden by typed flags.
    pub run: RunSettings,
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
        flags.start.json = args.json;
        flags.start.verbose = args.verbose;
        let (retry_errors, allow_program_change) = (args.retry_errors, args.allow_program_change);
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
        Ok(resolved.map(|run| Self {
            dir,
            retry_errors,
            allow_program_change,
            run,
        }))
    }
}

/// Recorded settings of a run that is resumed or forked.
pub(super) struct RecordedRun {
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
    let (selection, options) = (&run.selection, &run.benchmark_options);
    let begun = |name: &str| config.get("benchmark").and_then(|all| all.get(name));
    let Some(share) = begun("partition").and_then(Value::as_str) else {
        return Ok(ShardAssignment::default());
    };
    let now = selection.partition.map(|partition| partition.to_string());
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
    let now = [
        ("filters", "--filter", json!(selection.filters)),
        ("max_tasks", "--max-samples", json!(selection.max_samples)),
        ("selected_problems", "--sample-ids", json!(selection.ids)),
        ("sample_seed", "--sample-seed", json!(selection.sample_seed)),
        (
            "context_lengths",
            "--context-len",
            json!(options.context_lengths),
        ),
        (
            "tasks_per_length",
            "--samples-per-length",
            json!(options.tasks_per_length),
        ),
    ];
    if let Some((_, flag, _)) = now.iter().find(|(name, _, now)| begun(name) != Some(now)) {
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
