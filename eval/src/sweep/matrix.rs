//! The matrix of a sweep, from a file and from flags.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use benchmarks::Entry;
use clap::{Args as _, Command};

use super::settings::{DriverSet, MatrixArgs, SweepArgs};
use crate::settings::places::unconfirmed_in_file;
use crate::settings::powers::is_permission;
use crate::settings::run::{canonical_flag, instead_of_sharing};
use crate::settings::values::to_words;
use crate::settings::{PlaceFlag, RunArgs, SettingsError};

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

impl Matrix {
    /// Reads the file, if there is one, and overrides it with typed flags.
    ///
    /// # Errors
    /// A [`SettingsError`] for a file that cannot be read or is not a matrix, and for flags that a
    /// sweep sets itself. Values of flags are checked when cells are built.
    pub fn resolve(args: &SweepArgs) -> Result<Self, SettingsError> {
        let given = &args.matrix;
        let file = given.matrix.as_deref().map(read).transpose()?;
        let mut file = file.unwrap_or_default();
        let wrong = |problem: String| SettingsError::new(problem);
        let mut run = BTreeMap::new();
        for (name, value) in &file.run {
            let words =
                to_words(value).map_err(|problem| wrong(format!("run.{name}: {problem}")))?;
            // Anything else would become a word of the command line unchecked, such as
            // `isolation=thread`.
            let flag = canonical_flag(name.trim_start_matches('-'))
                .ok_or_else(|| wrong(format!("run.{name}: unknown flag of `rlm-eval run`")))?;
            run.insert(flag, words);
        }
        let typed = typed(&args.run).map_err(wrong)?;
        if let Some(path) = &given.matrix {
            check_powers(path, &run, &file, given, &typed)?;
        }
        if typed.contains_key("model") {
            if !given.models.is_empty() {
                let problem = "--models and --model both name models: remove one of them";
                return Err(wrong(problem.to_owned()));
            }
            // A typed `--model` replaces the models in the file.
            file.models.clear();
        }
        run.extend(typed);
        for name in run.keys() {
            if let Some(advice) = instead_of_sharing(name) {
                return Err(wrong(format!(
                    "--{name} cannot be shared by all cells: {advice}"
                )));
            }
        }
        let mut protocols = axis(&given.protocols, file.protocols, "rlm");
        if let Some(twice) = twice(&protocols) {
            return Err(wrong(format!("protocols: duplicate `{twice}`")));
        }
        protocols.retain(|protocol| protocol != BASELINE);
        let sets = first_given([given.driver_sets.clone(), file.driver_sets]);
        let further = [
            (
                "temperatures",
                ("temperature", "t", true),
                values(&given.temperatures, file.temperatures),
            ),
            (
                "efforts",
                ("effort", "effort-", true),
                values(&given.efforts, file.efforts),
            ),
            (
                "iterations",
                ("max-iterations", "iterations", false),
                values(&given.iterations, file.iterations),
            ),
            (
                "repl-apis",
                ("repl-api", "", false),
                values(&given.repl_apis, file.repl_apis),
            ),
        ];
        let mut varied = Vec::new();
        for (name, (flag, label, of_model), values) in further {
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
            models: values(&given.models, file.models),
            protocols,
            prompt_modes: axis(&given.prompt_modes, file.prompt_modes, "solver"),
            depths: axis(&given.depths, file.depths, "2"),
            child_models: axis(&given.child_models, file.child_models, SAME_MODEL),
            driver_sets: if sets.is_empty() {
                vec![Vec::new()]
            } else {
                sets.into_iter().map(|DriverSet(names)| names).collect()
            },
            run,
            dry_run: args.estimate.dry_run,
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

/// Rejects permissions in a matrix file, and servers, files and folders that only the file names.
/// `run` contains its shared flags.
///
/// # Errors
/// A [`SettingsError`] for the first permission, or for all locations together.
fn check_powers(
    path: &Path,
    run: &BTreeMap<String, Vec<String>>,
    file: &MatrixArgs,
    given: &MatrixArgs,
    typed: &BTreeMap<String, Vec<String>>,
) -> Result<(), SettingsError> {
    let shown = path.display().to_string();
    let shared = RunArgs::augment_args(Command::new("run"));
    let shared = shared.get_arguments();
    let shared = shared.filter_map(|flag| Some((flag, run.get(flag.get_long()?)?)));
    let mut after = Vec::new();
    for (flag, values) in shared {
        let name = flag.get_long().unwrap_or_default();
        if is_permission(flag.get_id().as_str()) {
            return Err(SettingsError::with_hint(
                format!("{shown}: `{name}` is a permission, which a file cannot grant"),
                format!("if you trust the file, remove the line and pass --{name} after `--`"),
            ));
        }
        after.extend(unconfirmed_in_file(flag, values).filter(|_| !typed.contains_key(name)));
    }
    let axes = MatrixArgs::augment_args(Command::new("matrix"));
    let axis = |name: &str, typed: &[String], values: &[String]| {
        let mut flags = axes.get_arguments();
        let flag = flags.find(|flag| flag.get_long() == Some(name))?;
        unconfirmed_in_file(flag, values).filter(|_| typed.is_empty())
    };
    let models = axis("models", &given.models, &file.models);
    let models = models.filter(|_| !typed.contains_key("model"));
    let children = axis("child-models", &given.child_models, &file.child_models);
    let before: Vec<PlaceFlag> = models.into_iter().chain(children).collect();
    if before.is_empty() && after.is_empty() {
        return Ok(());
    }
    let words =
        |flags: &[PlaceFlag]| -> Vec<String> { flags.iter().map(PlaceFlag::to_string).collect() };
    let additions = [(words(&before), "before"), (words(&after), "after")];
    let additions = additions.into_iter().filter(|(flags, _)| !flags.is_empty());
    let additions = additions.map(|(flags, place)| format!("`{}` {place} `--`", flags.join(" ")));
    let additions: Vec<String> = additions.collect();
    let all = [words(&before), words(&after)].concat().join(" ");
    Err(SettingsError::with_hint(
        format!("{shown} names servers, files or folders that this start does not name: {all}"),
        format!("if you trust them, add {}", additions.join(" and ")),
    ))
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

/// Returns the values of an axis: the typed ones, or else those in the file.
fn values(typed: &[String], in_file: Vec<String>) -> Vec<String> {
    let typed = typed.iter().map(|word| word.trim());
    let typed = typed.filter(|word| !word.is_empty());
    first_given([typed.map(str::to_owned).collect(), in_file])
}

/// Returns the values of an axis, or else its default.
fn axis(typed: &[String], in_file: Vec<String>, default: &str) -> Vec<String> {
    first_given([values(typed, in_file), vec![default.to_owned()]])
}

/// Returns the first list if it contains anything, or else the second.
fn first_given<T>([first, second]: [Vec<T>; 2]) -> Vec<T> {
    if first.is_empty() { second } else { first }
}

/// Reads the bundled sweep with this name, or else the file.
fn read(path: &Path) -> Result<MatrixArgs, SettingsError> {
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
        let name = canonical_flag(name).unwrap_or_else(|| name.to_owned());
        flags.entry(name).or_default().extend(value);
    }
    Ok(flags)
}
