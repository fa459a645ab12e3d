//! Flags and settings of `rlm-eval sweep`: the matrix, from a file and from flags.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::builder::{StringValueParser, TypedValueParser as _};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, ValueEnum};
use harness::Budget;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::settings::flags::{NotFromFile, TypedFlags};
use crate::settings::values::{Seconds, decimal, to_words, whole};
use crate::settings::{EstimateArgs, LimitArgs, ResumePolicy, recorded_flags};

/// The flags of `rlm-eval sweep`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = DETAILS,
    override_usage = "rlm-eval sweep [OPTIONS] [-- FLAGS OF rlm-eval run]\n       \
                      rlm-eval sweep --resume <DIR> [OPTIONS]",
    mut_args(only_for_new_sweeps),
)]
pub struct SweepArgs {
    /// Flags of `rlm-eval run` for all cells, except those of the matrix. With --resume:
    /// permissions, --base-url, and the files and folders that must be passed again
    #[arg(last = true, value_name = "FLAGS")]
    pub run: Vec<String>,

    /// Axes of the sweep.
    #[command(flatten)]
    pub matrix: MatrixArgs,

    /// New folder for the sweep, with a run directory for each cell [default:
    /// results/sweep-DATE-TIME]
    #[arg(long, value_name = "DIR", help_heading = "Sweep", add = NotFromFile)]
    pub out: Option<PathBuf>,

    /// Resume the sweep in this folder: interrupted cells and cells that have not started
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with = "out",
        help_heading = "Sweep",
        add = NotFromFile
    )]
    pub resume: Option<PathBuf>,

    /// What --resume accepts and runs again.
    #[command(flatten, next_help_heading = "Sweep")]
    pub policy: ResumePolicy,

    /// Estimate instead of a sweep.
    #[command(flatten, next_help_heading = "Sweep")]
    pub estimate: EstimateArgs,

    /// Print the comparison as JSON on stdout instead of tables
    #[arg(long, help_heading = "Sweep")]
    pub json: bool,

    /// Rules of a race.
    #[command(flatten)]
    pub race: RaceArgs,

    /// Simulate a race over the finished runs of the sweep in this folder, without running
    /// attempts, and show its decisions and savings. Writes race-replay.jsonl there
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["out", "run", "resume", "dry_run"],
        help_heading = RACE,
        add = NotFromFile
    )]
    pub replay_race: Option<PathBuf>,

    /// Budget of all cells together.
    #[command(flatten)]
    pub budget: SweepBudgetArgs,
}

const MATRIX: &str = "Matrix";
const RACE: &str = "Race";

/// Id of a rule of a race.
const MAX_SAMPLES: &str = "max_samples";

/// Makes the axes and the rules of a race conflict with flags that name an existing sweep.
fn only_for_new_sweeps(flag: Arg) -> Arg {
    match flag.get_help_heading() {
        Some(MATRIX) => flag.conflicts_with_all(["resume", "replay_race"]),
        Some(RACE) if flag.get_id() != "replay_race" => flag.conflicts_with("resume"),
        _ => flag,
    }
}

impl SweepArgs {
    /// Rejects rules of a race in `sweep`, the matches of `rlm-eval sweep`, without a race.
    ///
    /// # Errors
    /// Returns an error that names the first such rule.
    pub(crate) fn check_race_rules(
        sweep: &ArgMatches,
        typed: &TypedFlags,
    ) -> Result<(), clap::Error> {
        if sweep.contains_id("race") || sweep.contains_id("replay_race") {
            return Ok(());
        }
        // Variables may be meant for other sweeps and, as EVAL_MAX_SAMPLES, for cells.
        let is_typed = |argument: &&Arg| {
            let source = sweep.value_source(argument.get_id().as_str());
            source == Some(ValueSource::CommandLine) && typed.has(argument)
        };
        let command = RaceArgs::augment_args(Command::new("race"));
        let Some(rule) = command.get_arguments().find(is_typed) else {
            return Ok(());
        };
        let advice = if rule.get_id() == MAX_SAMPLES {
            "; to limit the samples of each cell, pass it after `--`"
        } else {
            ""
        };
        Err(clap::Error::raw(
            ErrorKind::MissingRequiredArgument,
            format!(
                "--{} has no effect without --race or --replay-race{advice}",
                rule.get_long().unwrap_or_default()
            ),
        ))
    }
}

/// The axes of a sweep, as flags and as keys of a matrix file.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[command(next_help_heading = MATRIX)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatrixArgs {
    /// YAML file with the matrix, or the name of a benchmark for its ready-made sweep; flags on the
    /// command line take precedence
    #[arg(long, value_name = "FILE", add = NotFromFile)]
    #[serde(skip)]
    pub matrix: Option<PathBuf>,

    /// Flags of `rlm-eval run` for all cells, in a file; on the command line, they follow `--`.
    #[arg(skip)]
    pub run: BTreeMap<String, Value>,

    /// Models to run [default: --model of the shared flags]
    #[arg(long, value_delimiter = ',', value_name = "REF,…")]
    #[serde(deserialize_with = "words")]
    pub models: Vec<String>,

    /// Protocols; `direct` is always added as the baseline of each model [default: rlm]
    #[arg(long, value_delimiter = ',', value_name = "PROTOCOL,…")]
    #[serde(deserialize_with = "words")]
    pub protocols: Vec<String>,

    /// Prompt modes, for protocols that have them [default: solver]
    #[arg(long, value_delimiter = ',', value_name = "MODE,…")]
    #[serde(deserialize_with = "words")]
    pub prompt_modes: Vec<String>,

    /// Values of --max-depth, for protocols with children [default: 2]
    #[arg(long, value_delimiter = ',', value_name = "DEPTH,…")]
    #[serde(deserialize_with = "words")]
    pub depths: Vec<String>,

    /// Models of children, for protocols with children; `none` stands for the model of the cell
    /// [default: none]
    #[arg(long, value_delimiter = ',', value_name = "REF,…")]
    #[serde(deserialize_with = "words")]
    pub child_models: Vec<String>,

    /// Values of --temperature, also for the baseline [default: that of the shared flags]
    #[arg(long, value_delimiter = ',', value_name = "T,…")]
    #[serde(deserialize_with = "words")]
    pub temperatures: Vec<String>,

    /// Values of --effort, also for the baseline [default: that of the shared flags]
    #[arg(long, value_delimiter = ',', value_name = "EFFORT,…")]
    #[serde(deserialize_with = "words")]
    pub efforts: Vec<String>,

    /// Values of --max-iterations, for protocols that iterate [default: that of the shared flags]
    #[arg(long, value_delimiter = ',', value_name = "N,…")]
    #[serde(deserialize_with = "words")]
    pub iterations: Vec<String>,

    /// Values of --repl-api, for the protocol with a REPL [default: that of the shared flags]
    #[arg(long, value_delimiter = ',', value_name = "WHICH,…")]
    #[serde(deserialize_with = "words")]
    pub repl_apis: Vec<String>,

    /// Sets of drivers: `;` separates the sets, `,` the drivers of a set, and `none` is the empty
    /// set [default: none]
    #[arg(
        long,
        value_delimiter = ';',
        value_name = "SET;…",
        value_parser = StringValueParser::new().map(|text| driver_set(&text))
    )]
    #[serde(deserialize_with = "driver_sets")]
    pub driver_sets: Vec<String>,
}

/// Value of an axis for cells without its flag.
pub(super) const NONE: &str = "none";

/// Parses the names of a set, separated by commas or `+`.
fn driver_set(text: &str) -> String {
    let names = text.split([',', '+']).map(str::trim);
    let names = names.filter(|name| !name.is_empty() && *name != NONE);
    join_drivers(&names.collect::<Vec<_>>())
}

/// Reads a list of sets, each a list of names.
fn driver_sets<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let sets: Vec<Vec<String>> = Vec::deserialize(deserializer)?;
    Ok(sets.iter().map(|names| join_drivers(names)).collect())
}

/// Joins the names of a set, as `--drivers` takes them.
fn join_drivers<S: Borrow<str>>(names: &[S]) -> String {
    if names.is_empty() {
        return NONE.to_owned();
    }
    names.join(",")
}

/// Reads the values of an axis as words.
fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    to_words(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Rules of a race.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = RACE)]
pub struct RaceArgs {
    /// Race the cells: all run the same samples in a random order, block by block, and a cell stops
    /// as soon as it is significantly worse than the best, or, with `--race=baseline`, better or
    /// worse than its baseline
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "best",
        value_name = "best|baseline"
    )]
    pub race: Option<RaceAgainst>,

    /// With --race: maximum probability of any wrong decision in the whole race
    #[arg(long, value_parser = decimal(0.0001..=0.5), default_value_t = 0.05, value_name = "P")]
    pub alpha: f64,

    /// With --race: largest difference in score that does not matter. A cell also stops if it is
    /// not better than all others by this much; with 0, only significantly worse cells stop
    #[arg(long, value_parser = decimal(0.0..=0.9), default_value_t = 0.1, value_name = "SCORE")]
    pub min_difference: f64,

    /// With --race: maximum samples of a cell [default: all selected samples]
    #[arg(long, value_parser = whole::<usize>(1..=1_000_000), value_name = "N")]
    pub max_samples: Option<usize>,

    /// With --race: samples between two decisions; clusters are never split
    #[arg(long, value_parser = whole::<usize>(1..=100_000), default_value_t = 10, value_name = "N")]
    pub block: usize,

    /// With --race: seed of the random order of the samples
    #[arg(long, value_parser = whole::<u64>(0..=u64::MAX), default_value_t = 1, value_name = "N")]
    pub order_seed: u64,
}

/// Reference with which the cells of a race are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RaceAgainst {
    /// The best other cell.
    Best,
    /// The baseline of the cell's model.
    Baseline,
}

/// Joint budget of all cells of a sweep. Flags of `rlm-eval run` set the budget of each cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args, Serialize)]
#[command(next_help_heading = "Budget of the sweep, over all cells and starts")]
pub struct SweepBudgetArgs {
    /// Limits of all cells together.
    #[command(flatten)]
    #[serde(flatten)]
    pub limits: LimitArgs,

    /// Wall time limit of the sweep in seconds, after which no attempt or model call starts; with
    /// --resume, the time starts from zero [default: no limit]
    #[arg(long, value_name = "SECONDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<Seconds>,
}

impl<'de> Deserialize<'de> for SweepBudgetArgs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        recorded_flags::read(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl SweepBudgetArgs {
    /// Returns the limits as a budget.
    pub fn budget(&self) -> Budget {
        self.limits.budget(self.time_limit)
    }

    /// Whether no limit is set.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Returns these limits. Unset limits are taken from `earlier`.
    #[must_use]
    pub fn or(self, earlier: Self) -> Self {
        let (limits, others) = (self.limits, earlier.limits);
        Self {
            limits: LimitArgs {
                max_cost: limits.max_cost.or(others.max_cost),
                max_tokens: limits.max_tokens.or(others.max_tokens),
                max_llm_calls: limits.max_llm_calls.or(others.max_llm_calls),
            },
            time_limit: self.time_limit.or(earlier.time_limit),
        }
    }
}

const DETAILS: &str = "\
Runs the cells of the matrix one after another. Then it prints the differences between the cells \
and their scores, and compares each cell with its baseline (`direct`, one call with the whole \
context) and the best other cells with each other. Cells that make no sense are skipped with a \
message: a coordinator that cannot delegate, or drivers that are written for another mode or \
protocol or contradict each other. Two cells that would send the same requests are an error. No \
profile is used unless the shared flags name one. The folder gets sweep.json, a run directory for \
each cell, comparison.csv and report.html.

A matrix file:
  run:                      # flags of `rlm-eval run` for all cells
    benchmark: s-niah
    context-len: [8k, 64k]
  models: [scripted]
  prompt-modes: [solver, coordinator]
  depths: [2]
  driver-sets: [[], [delegation-first]]

Examples:
  rlm-eval sweep --matrix matrix.yaml --out results/seed-003
  rlm-eval sweep --prompt-modes solver,coordinator --driver-sets 'none;delegation-first' \\
      -- --benchmark s-niah --model scripted --context-len 8k
  rlm-eval sweep --matrix matrix.yaml --dry-run
  rlm-eval sweep --matrix matrix.yaml --out results/seed-003 --max-cost 20
  rlm-eval sweep --matrix matrix.yaml --race --max-cost 20
  rlm-eval sweep --replay-race results/seed-003
  rlm-eval sweep --resume results/seed-003";
