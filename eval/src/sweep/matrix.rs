//! The matrix of a sweep, from a file and from flags.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use benchmarks::Entry;
use serde::Deserialize;
use serde_json::Value;

use super::settings::SweepArgs;
use crate::settings::SettingsError;
use crate::settings::run::{canonical_flag, instead_of_sharing};

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
pub(super) const SAME_MODEL: &str = "none";

/// Protocol of the baseline cell.
pub(super) const BASELINE: &str = "direct";

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
