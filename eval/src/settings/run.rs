//! Settings of `rlm-eval run`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::name_list::names;
use super::{
    Deal, EngineSettings, GraderSettings, Keys, Partition, QueueSettings, Resolved, SettingsError,
    Start, benchmark, budget, grader, judge, layers, models, queue,
};
use crate::cli::{Place, RunArgs, recorded_places};
use crate::env_vars;
use crate::invocation::quoted;

/// Everything that a run depends on.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct RunSettings {
    /// The benchmark's name in the catalog, or the path of one's own.
    pub benchmark: String,
    /// What the benchmark is opened with.
    pub benchmark_options: benchmarks::Options,
    /// Which samples are run.
    pub selection: Selection,
    /// What scores them.
    pub grader: GraderSettings,
    /// Independent attempts at each sample; at least 1.
    pub attempts: u32,
    /// Attempts that may be under way at once; at least 1.
    pub concurrency: usize,
    /// Folder in which the run gets a folder of its own.
    pub log_dir: PathBuf,
    /// The mean score, from 0 to 1, below which the run fails a gate.
    pub min_score: Option<f64>,
    /// How many attempts may end in an error before the run is stopped.
    pub fail_on_error: Option<ErrorGate>,
    /// Whether the summary is printed as JSON instead of a table.
    pub json: bool,
    /// Whether progress shows all that agents do.
    pub verbose: bool,
    /// Whether only an estimate is shown.
    pub dry_run: bool,
    /// Whether a dry run asks the main model once.
    pub check_key: bool,
    /// Whether rows may name programs that are run.
    pub allow_commands: bool,
    /// Permissions of this start, as the words that grant them.
    pub powers: Vec<String>,
    /// Where others make the attempts, if they do.
    pub queue: Option<QueueSettings>,
    /// The agents.
    pub engine: EngineSettings,
    /// The flags that these settings are made of, as JSON: what `--resume` makes them of again.
    pub flags: Value,
}

/// When a run is failing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ErrorGate {
    /// Once at least this share of all its attempts, above 0 and below 1, has ended in an error.
    Share(f64),
    /// Once so many attempts, at least 1, have.
    Count(u64),
}

/// Below 1 a share, from 1 on a whole count.
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

/// As it is typed.
impl Serialize for ErrorGate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(match self {
            Self::Share(share) => *share,
            Self::Count(count) => *count as f64,
        })
    }
}

impl ErrorGate {
    /// Errors that a run of so many attempts may have and go on.
    pub fn allowed(self, attempts: u64) -> u64 {
        match self {
            // Rounding up: the first error that reaches the share ends the run. 0.1 is a little more than a tenth.
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

/// Which samples of a benchmark are run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// At most this many, the first ones; at least 1.
    pub max_tasks: Option<usize>,
    /// Only those with these ids; empty for all.
    pub ids: Vec<String>,
    /// Only those whose facts have, for each key, one of the values.
    pub filters: Vec<(String, Vec<String>)>,
    /// The seed of a random choice of `max_tasks`.
    pub sample_seed: Option<u64>,
    /// Of those that are left, only this share; none for all.
    pub partition: Option<Partition>,
    /// How samples fall to shares.
    pub deal: Deal,
}

impl RunSettings {
    /// Checks that models are asked only where this start would ask them, for settings that come from a
    /// `folder`. `typed` is the value of `--base-url`, and `command` the command that would pass it, without
    /// the program's name.
    ///
    /// # Errors
    /// [`SettingsError`].
    pub fn check_addresses(
        &self,
        folder: &Path,
        typed: Option<&str>,
        command: &str,
    ) -> Result<(), SettingsError> {
        let judge = self.grader.judge.as_ref().map(|judge| &judge.models);
        let mut all = [&self.engine.models].into_iter().chain(judge);
        match all.find_map(|models| models::unnamed_address(models, typed)) {
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

    /// Returns the flags that have to be passed again to resume the run, as a shell takes them, with a
    /// blank before each: places that its folder names, and permissions.
    pub fn typed_again(&self) -> String {
        let url = self.flags.pointer("/engine/models/base_url");
        let url = url.and_then(Value::as_str);
        let url = url.filter(|_| self.check_addresses(&self.log_dir, None, "").is_err());
        let url = url.map(|url| format!("--base-url {}", quoted(url)));
        // The flags were serialized here, so they can be read.
        let places = recorded_places(&self.flags).unwrap_or_default();
        let places = places.iter().map(Place::to_string);
        let words = url.into_iter().chain(places);
        let words = words.chain(self.powers.iter().cloned());
        words.map(|word| format!(" {word}")).collect()
    }

    /// Resolves the flags of a run.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first flag that is wrong. Whether the benchmark can use its options is
    /// known when it is opened.
    pub fn resolve(args: &RunArgs) -> Result<Resolved<Self>, SettingsError> {
        Self::at(args, Start::New)
    }

    /// The same for a run that may have begun before.
    pub(super) fn at(args: &RunArgs, start: Start) -> Result<Resolved<Self>, SettingsError> {
        let (benchmark, benchmark_options) = benchmark::resolve(&args.benchmark, &args.options)?;
        let selection = Selection {
            max_tasks: args.max_tasks,
            ids: names(&args.selected_problems),
            filters: filters(&args.filter)?,
            sample_seed: args.sample_seed,
            partition: args.partition,
            deal: Deal::default(),
        };
        let mut flags = serde_json::to_value(args).map_err(|error| {
            SettingsError::new(format!(
                "a path among the flags cannot be stored with the run: {error}"
            ))
        })?;
        let queue = queue::resolve(args)?;
        let keys = if queue.is_some() || args.start.dry_run && !args.start.check_key {
            Keys::Unneeded
        } else {
            Keys::Needed
        };
        let mut engine = EngineSettings::resolve(&args.engine, keys, start)?;
        engine
            .warnings
            .extend(benchmark::unread_data_dir(&benchmark, &args.options));
        engine
            .warnings
            .extend(benchmark::unread_options(&benchmark, &args.options));
        let main = &engine.settings.model;
        let judge = args.scoring.judge_model.as_ref();
        let grader = grader::resolve(
            &args.scoring,
            &judge::beside_agents(&args.engine.models, main, judge),
            keys,
            args.options.scorer.as_deref(),
            harness::scripts_run_in(),
        )?;
        // Today is another day when the run goes on.
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
            concurrency: args.concurrency,
            log_dir: args.log_dir.clone(),
            min_score: args.min_score,
            fail_on_error: args.fail_on_error,
            json: args.start.json,
            verbose: args.start.verbose,
            dry_run: args.start.dry_run,
            check_key: args.start.check_key,
            allow_commands: args.powers.allow_commands,
            powers: [args.powers.words(), args.engine.powers.words()].concat(),
            queue,
            engine,
            flags,
        }))
    }
}

/// `key=a|b` as key and values.
fn filters(given: &[String]) -> Result<Vec<(String, Vec<String>)>, SettingsError> {
    let filter = |given: String| {
        let (key, values) = given.split_once('=').unwrap_or_default();
        let values: Vec<String> = values
            .split('|')
            .map(|value| value.trim().to_owned())
            .collect();
        if key.trim().is_empty() || values.iter().any(String::is_empty) {
            return Err(SettingsError::new(format!(
                "--filter: `{given}` is no filter; expected KEY=VALUE or KEY=VALUE|VALUE: domain=law|code"
            )));
        }
        Ok((key.trim().to_owned(), values))
    };
    names(given).into_iter().map(filter).collect()
}
