//! The matrix of a sweep, from a file and from flags.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use clap::{Args as _, Command};

use super::settings::{MatrixArgs, NONE, SweepArgs};
use crate::settings::places::unconfirmed_in_file;
use crate::settings::powers::is_permission;
use crate::settings::run::{canonical_flag, instead_of_sharing};
use crate::settings::values::to_words;
use crate::settings::{PlaceFlag, RunArgs, SettingsError};

/// Axes of a sweep, and the flags that all cells share.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// Flags of `rlm-eval run` that all cells share, by name without dashes, with their values.
    pub run: BTreeMap<String, Vec<String>>,
    /// Axes, each with its values, in the order of [`AXES`]. Axes without a value are not included.
    pub(super) axes: Vec<(&'static Axis, Vec<String>)>,
    /// Whether this is a dry run, which requires no keys.
    pub dry_run: bool,
}

/// An axis: a flag of `rlm-eval run` that varies between cells.
#[derive(Debug)]
pub(super) struct Axis {
    /// Name of the axis, as a flag of `rlm-eval sweep` and as a key of a matrix file.
    pub(super) name: &'static str,
    /// Flag of `rlm-eval run`, without dashes.
    pub(super) flag: &'static str,
    given: fn(&MatrixArgs) -> &Vec<String>,
    /// Value of an axis that is not given; `None` if its flag is then a shared flag. If it is
    /// [`NONE`], this value stands for cells without the flag, also among other values.
    pub(super) default: Option<&'static str>,
    /// Whether the axis is a setting of the model, which also applies to the baseline.
    pub(super) of_model: bool,
    /// Whether a combination whose protocol lacks the flag is run without it. Otherwise, the
    /// combination is skipped.
    pub(super) may_be_omitted: bool,
    /// Prefix of the value in a cell's name.
    pub(super) label: &'static str,
    /// Whether a cell's name contains the only value of the axis.
    pub(super) names_only_value: bool,
}

/// The axes. Cells vary the last one first.
static AXES: [Axis; 10] = [
    Axis {
        of_model: true,
        may_be_omitted: false,
        ..Axis::of("models", MODEL, |matrix| &matrix.models)
    },
    Axis {
        default: Some("rlm"),
        may_be_omitted: false,
        ..Axis::of("protocols", PROTOCOL, |matrix| &matrix.protocols)
    },
    Axis {
        default: Some("solver"),
        names_only_value: true,
        ..Axis::of("prompt-modes", PROMPT_MODE, |matrix| &matrix.prompt_modes)
    },
    Axis {
        default: Some("2"),
        label: "depth",
        ..Axis::of("depths", MAX_DEPTH, |matrix| &matrix.depths)
    },
    Axis {
        default: Some(NONE),
        label: "child-",
        ..Axis::of("child-models", "child-model", |matrix| &matrix.child_models)
    },
    Axis {
        of_model: true,
        label: "t",
        ..Axis::of("temperatures", "temperature", |matrix| &matrix.temperatures)
    },
    Axis {
        of_model: true,
        label: "effort-",
        ..Axis::of("efforts", "effort", |matrix| &matrix.efforts)
    },
    Axis {
        label: "iterations",
        ..Axis::of("iterations", "max-iterations", |matrix| &matrix.iterations)
    },
    Axis::of("repl-apis", REPL_API, |matrix| &matrix.repl_apis),
    Axis {
        default: Some(NONE),
        may_be_omitted: false,
        names_only_value: true,
        ..Axis::of("driver-sets", DRIVERS, |matrix| &matrix.driver_sets)
    },
];

pub(super) const MODEL: &str = "model";
pub(super) const PROTOCOL: &str = "protocol";
pub(super) const PROMPT_MODE: &str = "prompt-mode";
pub(super) const MAX_DEPTH: &str = "max-depth";
pub(super) const REPL_API: &str = "repl-api";
const DRIVERS: &str = "drivers";

/// Protocol of the baseline cell.
pub(super) const BASELINE: &str = "direct";

impl Axis {
    /// Creates an axis without a default that is not a setting of the model.
    const fn of(
        name: &'static str,
        flag: &'static str,
        given: fn(&MatrixArgs) -> &Vec<String>,
    ) -> Self {
        Self {
            name,
            flag,
            given,
            default: None,
            of_model: false,
            may_be_omitted: true,
            label: "",
            names_only_value: false,
        }
    }

    /// Returns the values: the typed ones, or else those in the file, or else the default.
    fn values(&self, typed: &MatrixArgs, file: &MatrixArgs) -> Vec<String> {
        let given = |args| -> Vec<String> {
            let words = (self.given)(args).iter().map(|word| word.trim());
            let words = words.filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        };
        let typed = given(typed);
        let values = if typed.is_empty() { given(file) } else { typed };
        if values.is_empty() {
            return self.default.map(str::to_owned).into_iter().collect();
        }
        values
    }

    /// Returns a message about the first duplicate value, because it would duplicate a cell, or
    /// about a driver that is twice in a set, because it would have no effect.
    fn find_duplicate(&self, values: &[String]) -> Option<String> {
        let name = self.name;
        if self.flag == DRIVERS {
            let found = values
                .iter()
                .find_map(|set| first_duplicate(set.split(',')));
            if let Some(driver) = found {
                return Some(format!("{name}: duplicate `{driver}` in one set"));
            }
        }
        let value = first_duplicate(values.iter().map(String::as_str))?;
        Some(format!("{name}: duplicate `{}`", value.replace(',', "+")))
    }
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
        if typed.contains_key(MODEL) {
            if !given.models.is_empty() {
                let problem = "--models and --model both name models: remove one of them";
                return Err(wrong(problem.to_owned()));
            }
            // A typed `--model` replaces the models in the file.
            file.models.clear();
        }
        run.extend(typed);
        for name in run.keys() {
            let is_set = |axis: &&Axis| axis.flag == name && axis.default.is_some();
            let axis = AXES.iter().find(is_set);
            let advice = match axis {
                Some(axis) => Some(format!("use --{}", axis.name)),
                None => instead_of_sharing(name).map(str::to_owned),
            };
            if let Some(advice) = advice {
                return Err(wrong(format!(
                    "--{name} cannot be shared by all cells: {advice}"
                )));
            }
        }
        let mut axes = Vec::new();
        for axis in &AXES {
            let mut values = axis.values(given, &file);
            if values.is_empty() {
                continue;
            }
            // `models` replace a shared `--model`.
            if axis.flag != MODEL && run.contains_key(axis.flag) {
                let (name, flag) = (axis.name, axis.flag);
                let problem = format!("{name} and --{flag} set the same flag: remove one of them");
                return Err(wrong(problem));
            }
            if let Some(problem) = axis.find_duplicate(&values) {
                return Err(wrong(problem));
            }
            if axis.flag == PROTOCOL {
                // The baseline is always included.
                values.retain(|protocol| protocol != BASELINE);
            }
            axes.push((axis, values));
        }
        Ok(Self {
            run,
            axes,
            dry_run: args.estimate.dry_run,
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
fn first_duplicate<'a>(mut values: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = BTreeSet::new();
    values.find(|value| !seen.insert(*value))
}

/// Reads the bundled sweep with this name, or else the file.
fn read(path: &Path) -> Result<MatrixArgs, SettingsError> {
    let name = path.to_str().unwrap_or_default();
    let mut ready = benchmarks::catalog().iter().flat_map(|entry| entry.sweeps);
    let text = match ready.find(|(known, _)| *known == name) {
        Some((_, sweep)) => (*sweep).to_owned(),
        None if benchmarks::entry(name).is_some() => return Err(no_ready_sweep(name)),
        None => fs::read_to_string(path).map_err(|error| SettingsError::unreadable(path, error))?,
    };
    harness::yaml::read(&text)
        .map_err(|problem| SettingsError::new(format!("{}: {problem}", path.display())))
}

fn no_ready_sweep(benchmark: &str) -> SettingsError {
    let ready = benchmarks::catalog().iter().flat_map(|entry| entry.sweeps);
    let ready: Vec<&str> = ready.map(|(name, _)| *name).collect();
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
