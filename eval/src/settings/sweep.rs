//! Flags and settings of `rlm-eval sweep`: the matrix, from a file and from flags.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use benchmarks::Entry;
use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};
use harness::Budget;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::values::{Seconds, decimal, dollars, whole};
use super::{HIGHEST_LIMIT, SettingsError, canonical_flag, recorded_flags};

/// The flags of `rlm-eval sweep`.
#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(
    after_help = DETAILS,
    override_usage = "rlm-eval sweep [OPTIONS] [-- FLAGS OF rlm-eval run]\n       \
                      rlm-eval sweep --resume <DIR> [OPTIONS]",
)]
pub struct SweepArgs {
    /// YAML file with the matrix, or the name of a benchmark for its ready-made sweep; flags on the
    /// command line take precedence
    #[arg(long, value_name = "FILE", help_heading = "Matrix")]
    pub matrix: Option<PathBuf>,

    /// Models to run [default: --model of the shared flags]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "REF,…",
        help_heading = "Matrix"
    )]
    pub models: Vec<String>,

    /// Protocols; `direct` is always added as the baseline of each model [default: rlm]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "PROTOCOL,…",
        help_heading = "Matrix"
    )]
    pub protocols: Vec<String>,

    /// Prompt modes, for protocols that have them [default: solver]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "MODE,…",
        help_heading = "Matrix"
    )]
    pub prompt_modes: Vec<String>,

    /// Values of --max-depth, for protocols with children [default: 2]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "DEPTH,…",
        help_heading = "Matrix"
    )]
    pub depths: Vec<String>,

    /// Models of children, for protocols with children; `none` stands for the model of the cell
    /// [default: none]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "REF,…",
        help_heading = "Matrix"
    )]
    pub child_models: Vec<String>,

    /// Values of --temperature, also for the baseline [default: that of the shared flags]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "T,…",
        help_heading = "Matrix"
    )]
    pub temperatures: Vec<String>,

    /// Values of --effort, also for the baseline [default: that of the shared flags]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "EFFORT,…",
        help_heading = "Matrix"
    )]
    pub efforts: Vec<String>,

    /// Values of --max-iterations, for protocols that iterate [default: that of the shared flags]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N,…",
        help_heading = "Matrix"
    )]
    pub iterations: Vec<String>,

    /// Values of --repl-api, for the protocol with a REPL [default: that of the shared flags]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "WHICH,…",
        help_heading = "Matrix"
    )]
    pub repl_apis: Vec<String>,

    /// Sets of drivers: `;` separates the sets, `,` the drivers of a set, and `none` is the empty
    /// set [default: none]
    #[arg(
        long,
        value_delimiter = ';',
        value_name = "SET;…",
        help_heading = "Matrix"
    )]
    pub driver_sets: Vec<String>,

    /// New folder for the sweep, with a run directory for each cell [default:
    /// results/sweep-DATE-TIME]
    #[arg(long, value_name = "DIR", help_heading = "Sweep")]
    pub out: Option<PathBuf>,

    /// Resume the sweep in this folder: interrupted cells and cells that have not started
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["matrix", "models", "protocols", "prompt_modes", "depths", "child_models", "temperatures", "efforts", "iterations", "repl_apis", "driver_sets", "out", "race", "alpha", "min_difference", "max_samples", "block", "order_seed"],
        help_heading = "Sweep"
    )]
    pub resume: Option<PathBuf>,

    /// With --resume: continue the attempts that ended in an error, and send their failed requests
    /// again
    #[arg(
        long,
        value_parser = BoolishValueParser::new(),
        requires = "resume",
        help_heading = "Sweep"
    )]
    pub retry_errors: bool,

    /// Show the minimum and maximum requests and cost of each cell and of all together, without
    /// running attempts or writing files
    #[arg(
        long,
        value_parser = BoolishValueParser::new(),
        conflicts_with = "resume",
        help_heading = "Sweep"
    )]
    pub dry_run: bool,

    /// With --dry-run: run the first N samples of each cell, once each, to base the estimate on
    /// their cost; this creates separate runs in --log-dir and costs money [default: earlier runs
    /// of the same experiments in --log-dir]
    #[arg(
        long,
        value_parser = whole::<usize>(1..=1_000),
        num_args = 0..=1,
        default_missing_value = "2",
        requires = "dry_run",
        value_name = "N",
        help_heading = "Sweep"
    )]
    pub pilot: Option<usize>,

    /// With --resume: continue a sweep with runs made by another version of the program; each
    /// attempt records its version
    #[arg(
        long,
        value_parser = BoolishValueParser::new(),
        requires = "resume",
        help_heading = "Sweep"
    )]
    pub allow_program_change: bool,

    /// Print the comparison as JSON on stdout instead of tables
    #[arg(long, value_parser = BoolishValueParser::new(), help_heading = "Sweep")]
    pub json: bool,

    /// Race the cells: all run the same samples in a random order, block by block, and a cell stops
    /// as soon as it is significantly worse than the best, or, with `--race=baseline`, better or
    /// worse than its baseline
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "best",
        value_name = "best|baseline",
        help_heading = "Race"
    )]
    pub race: Option<RaceAgainst>,

    /// With --race: maximum probability of any wrong decision in the whole race
    #[arg(
        long,
        value_parser = decimal(0.0001..=0.5),
        default_value_t = 0.05,
        value_name = "P",
        help_heading = "Race"
    )]
    pub alpha: f64,

    /// With --race: largest difference in score that does not matter. A cell also stops if it is
    /// not better than all others by this much; with 0, only significantly worse cells stop
    #[arg(
        long,
        value_parser = decimal(0.0..=0.9),
        default_value_t = 0.1,
        value_name = "SCORE",
        help_heading = "Race"
    )]
    pub min_difference: f64,

    /// With --race: maximum samples of a cell [default: all selected samples]
    #[arg(
        long,
        value_parser = whole::<usize>(1..=1_000_000),
        value_name = "N",
        help_heading = "Race"
    )]
    pub max_samples: Option<usize>,

    /// With --race: samples between two decisions; clusters are never split
    #[arg(
        long,
        value_parser = whole::<usize>(1..=100_000),
        default_value_t = 10,
        value_name = "N",
        help_heading = "Race"
    )]
    pub block: usize,

    /// With --race: seed of the random order of the samples
    #[arg(
        long,
        value_parser = whole::<u64>(0..=u64::MAX),
        default_value_t = 1,
        value_name = "N",
        help_heading = "Race"
    )]
    pub order_seed: u64,

    /// Simulate a race over the finished runs of the sweep in this folder, without running
    /// attempts, and show its decisions and savings. Writes race-replay.jsonl there
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["matrix", "models", "protocols", "prompt_modes", "depths", "child_models", "temperatures", "efforts", "iterations", "repl_apis", "driver_sets", "out", "run", "resume", "dry_run"],
        help_heading = "Race"
    )]
    pub replay_race: Option<PathBuf>,

    /// Flags of `rlm-eval run` for all cells, except those of the matrix. With --resume:
    /// permissions, --base-url, and the files and folders that must be passed again
    #[arg(last = true, value_name = "FLAGS")]
    pub run: Vec<String>,

    /// Budget of all cells together.
    #[command(flatten)]
    pub budget: SweepBudgetArgs,
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
    /// Cost limit of all cells together, in US dollars [default: no limit]
    #[arg(long, value_parser = dollars, value_name = "USD")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,

    /// Token limit of all cells together, input and output together [default: no limit]
    #[arg(long, value_parser = whole::<u64>(1..=HIGHEST_LIMIT), value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,

    /// Limit of requests to models for all cells together; a retried request counts once [default:
    /// no limit]
    #[arg(long, value_parser = whole::<u64>(1..=HIGHEST_LIMIT), value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_llm_calls: Option<u64>,

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
        Budget {
            cost_usd: self.max_cost,
            tokens: self.max_tokens,
            calls: self.max_llm_calls,
            time: self.time_limit.map(|time| *time),
        }
    }

    /// Whether no limit is set.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Returns these limits. Unset limits are taken from `earlier`.
    #[must_use]
    pub fn or(self, earlier: Self) -> Self {
        Self {
            max_cost: self.max_cost.or(earlier.max_cost),
            max_tokens: self.max_tokens.or(earlier.max_tokens),
            max_llm_calls: self.max_llm_calls.or(earlier.max_llm_calls),
            time_limit: self.time_limit.or(earlier.time_limit),
        }
    }
}

/// Axes of a sweep, and the flags that all cells share.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Flags of `rlm-eval run` that all cells share, by name without dashes, with their values.
    pub run: BTreeMap<String, Vec<String>>,
    /// Models; empty for the model in `run`.
    pub models: Vec<String>,
    /// Protocols other than `direct`, which is always included.
    pub protocols: Vec<String>,
    /// Prompt modes of the root.
    pub prompt_modes: Vec<String>,
    /// Values of `--max-depth`.
    pub depths: Vec<String>,
    /// Models of children; `none` for the model of the cell.
    pub child_models: Vec<String>,
    /// Other flags that vary, with their values.
    pub varied: Vec<Varied>,
    /// Sets of drivers.
    pub driver_sets: Vec<Vec<String>>,
    /// Whether this is a dry run, which requires no keys.
    pub dry_run: bool,
}

/// A flag of `rlm-eval run` that varies between cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Varied {
    /// Name without dashes.
    pub flag: &'static str,
    /// Prefix of the value in a cell's name.
    pub label: &'static str,
    /// Whether the flag is a model setting, which also applies to the baseline.
    pub of_model: bool,
    /// Values; at least one.
    pub values: Vec<String>,
}

/// Contents of a matrix file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    run: BTreeMap<String, Value>,
    models: Vec<Value>,
    protocols: Vec<Value>,
    prompt_modes: Vec<Value>,
    depths: Vec<Value>,
    child_models: Vec<Value>,
    temperatures: Vec<Value>,
    efforts: Vec<Value>,
    iterations: Vec<Value>,
    repl_apis: Vec<Value>,
    driver_sets: Vec<Vec<String>>,
}

/// Returns advice about a flag of `rlm-eval run` that cells cannot share, because the matrix or the
/// sweep sets it; `None` if cells can share it.
fn instead_of_sharing(flag: &str) -> Option<&'static str> {
    Some(match flag {
        "child-model" => "use --child-models",
        "drivers" => "use --driver-sets",
        "max-depth" => "use --depths",
        "prompt-mode" => "use --prompt-modes",
        "protocol" => "use --protocols",
        "log-dir" => "use --out",
        "check-key" => "use `rlm-eval run --dry-run --check-key` for one cell",
        "record" => "a recording belongs to one run",
        "dry-run" | "json" | "resume" => "pass it to the sweep, before `--`",
        _ => return None,
    })
}

impl Matrix {
    /// Reads the file, if there is one, and overrides it with typed flags.
    ///
    /// # Errors
    /// A [`SettingsError`] for a file that cannot be read or is not a matrix, and for flags that a
    /// sweep sets itself. Values of flags are checked when cells are built.
    pub fn resolve(args: &SweepArgs) -> Result<Self, SettingsError> {
        let file = args.matrix.as_deref().map(read).transpose()?;
        let file = file.unwrap_or_default();
        let wrong = |problem: String| SettingsError::new(problem);
        let mut run = BTreeMap::new();
        for (name, value) in &file.run {
            let values = texts(value).map_err(|problem| wrong(format!("run.{name}: {problem}")))?;
            run.insert(canonical_flag(name.trim_start_matches('-')), values);
        }
        let typed = typed(&args.run).map_err(wrong)?;
        let names_a_model = typed.contains_key("model");
        run.extend(typed);
        for name in run.keys() {
            if let Some(advice) = instead_of_sharing(name) {
                return Err(wrong(format!(
                    "--{name} cannot be shared by all cells: {advice}"
                )));
            }
        }
        let axis = |name: &str,
                    given: &[String],
                    of_file: &[Value],
                    default: Option<&str>|
         -> Result<Vec<String>, SettingsError> {
            let given: Vec<String> = given.iter().map(|word| word.trim().to_owned()).collect();
            let given: Vec<String> = given.into_iter().filter(|word| !word.is_empty()).collect();
            if !given.is_empty() {
                return Ok(given);
            }
            let of_file: Result<Vec<String>, String> = of_file.iter().map(text).collect();
            let of_file = of_file.map_err(|problem| wrong(format!("{name}: {problem}")))?;
            Ok(if of_file.is_empty() {
                default.map(str::to_owned).into_iter().collect()
            } else {
                of_file
            })
        };
        let models = axis("models", &args.models, &file.models, None)?;
        let models = match (names_a_model, args.models.is_empty()) {
            (false, _) => models,
            // A typed `--model` replaces the models in the file.
            (true, true) => Vec::new(),
            (true, false) => {
                let problem = "--models and --model both name models: remove one of them";
                return Err(wrong(problem.to_owned()));
            }
        };
        let mut protocols = axis("protocols", &args.protocols, &file.protocols, Some("rlm"))?;
        if let Some(twice) = twice(&protocols) {
            return Err(wrong(format!("protocols: duplicate `{twice}`")));
        }
        protocols.retain(|protocol| protocol != BASELINE);
        let typed_sets: Vec<Vec<String>> =
            args.driver_sets.iter().map(|set| driver_set(set)).collect();
        let driver_sets = match (typed_sets.is_empty(), file.driver_sets.is_empty()) {
            (false, _) => typed_sets,
            (true, false) => file.driver_sets,
            (true, true) => vec![Vec::new()],
        };
        let mut varied = Vec::new();
        let further = [
            (
                "temperatures",
                "temperature",
                "t",
                true,
                &args.temperatures,
                &file.temperatures,
            ),
            (
                "efforts",
                "effort",
                "effort-",
                true,
                &args.efforts,
                &file.efforts,
            ),
            (
                "iterations",
                "max-iterations",
                "iterations",
                false,
                &args.iterations,
                &file.iterations,
            ),
            (
                "repl-apis",
                "repl-api",
                "",
                false,
                &args.repl_apis,
                &file.repl_apis,
            ),
        ];
        for (name, flag, label, of_model, given, of_file) in further {
            let values = axis(name, given, of_file, None)?;
            if values.is_empty() {
                continue;
            }
            if run.contains_key(flag) {
                let problem = format!("{name} and --{flag} set the same flag: remove one of them");
                return Err(wrong(problem));
            }
            varied.push(Varied {
                flag,
                label,
                of_model,
                values,
            });
        }
        let matrix = Self {
            varied,
            models,
            protocols,
            prompt_modes: axis(
                "prompt-modes",
                &args.prompt_modes,
                &file.prompt_modes,
                Some("solver"),
            )?,
            depths: axis("depths", &args.depths, &file.depths, Some("2"))?,
            child_models: axis(
                "child-models",
                &args.child_models,
                &file.child_models,
                Some(SAME_MODEL),
            )?,
            driver_sets,
            run,
            dry_run: args.dry_run,
        };
        match matrix.find_duplicate() {
            Some(problem) => Err(wrong(problem)),
            None => Ok(matrix),
        }
    }
}

impl Matrix {
    /// Returns a message about the first duplicate: a driver in a set, because it would have no
    /// effect, or a value of an axis, because it would duplicate a cell.
    fn find_duplicate(&self) -> Option<String> {
        if let Some(name) = self.driver_sets.iter().find_map(|set| twice(set)) {
            return Some(format!("driver-sets: duplicate `{name}` in one set"));
        }
        let sets = self.driver_sets.iter().map(|set| match set.as_slice() {
            [] => "none".to_owned(),
            names => names.join("+"),
        });
        let sets: Vec<String> = sets.collect();
        let axes = [
            ("models", &self.models),
            ("prompt-modes", &self.prompt_modes),
            ("depths", &self.depths),
            ("child-models", &self.child_models),
            ("driver-sets", &sets),
        ];
        let varied = self.varied.iter().map(|axis| (axis.flag, &axis.values));
        axes.into_iter().chain(varied).find_map(|(name, values)| {
            let twice = twice(values)?;
            Some(format!("{name}: duplicate `{twice}`"))
        })
    }
}

/// Returns the first duplicate.
fn twice(values: &[String]) -> Option<&String> {
    let mut seen = BTreeSet::new();
    values.iter().find(|value| !seen.insert(*value))
}

/// Value of `--child-models` for children with the model of their root.
pub(crate) const SAME_MODEL: &str = "none";

/// Protocol of the baseline cell.
pub(crate) const BASELINE: &str = "direct";

fn driver_set(set: &str) -> Vec<String> {
    let names = set.split([',', '+']).map(str::trim);
    let names = names.filter(|name| !name.is_empty() && *name != "none");
    names.map(str::to_owned).collect()
}

/// Reads the bundled sweep with this name, or else the file.
fn read(path: &Path) -> Result<File, SettingsError> {
    let name = path.to_str().unwrap_or_default();
    let mut ready = benchmarks::catalog().iter().flat_map(Entry::sweeps);
    let text = match ready.find(|(known, _)| known == name) {
        Some((_, sweep)) => sweep.to_owned(),
        None if benchmarks::entry(name).is_some() => return Err(no_ready_sweep(name)),
        None => fs::read_to_string(path).map_err(|error| SettingsError::unreadable(path, error))?,
    };
    harness::yaml::read(&text)
        .map_err(|problem| SettingsError::new(format!("{}: {problem}", path.display())))
}

fn no_ready_sweep(benchmark: &str) -> SettingsError {
    let ready = benchmarks::catalog().iter().flat_map(Entry::sweeps);
    let ready: Vec<String> = ready.map(|(name, _)| name).collect();
    SettingsError::new(format!(
        "no bundled sweep for {benchmark}; available: {}",
        ready.join(", ")
    ))
}

/// Parses typed flags: `--name value`, `--name=value`, `--name`.
fn typed(words: &[String]) -> Result<BTreeMap<String, Vec<String>>, String> {
    let mut flags: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix("--").filter(|flag| !flag.is_empty()) else {
            return Err(format!(
                "`{word}` after `--` is not a flag of `rlm-eval run`"
            ));
        };
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (flag, words.next_if(|next| !next.starts_with("--")).cloned()),
        };
        flags.entry(canonical_flag(name)).or_default().extend(value);
    }
    Ok(flags)
}

/// Returns the values of a flag as text.
fn texts(value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::Array(values) => values.iter().map(text).collect(),
        value => Ok(vec![text(value)?]),
    }
}

fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            Err(format!("expected a string or a number, not {value}"))
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
