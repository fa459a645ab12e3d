//! The cells of a sweep: which runs a matrix makes, and which of them make no sense.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args as _;
use harness::prompt::warnings;
use serde::{Deserialize, Serialize};

use crate::cli::{self, Command, RunArgs};
use crate::run_dir::{RunDirError, write_whole};
use crate::settings::{BASELINE, Matrix, RunSettings, SettingsError};

/// Version of [`Plan`]; the file carries it as `v`.
pub const SWEEP_VERSION: u32 = 1;

/// The file of a sweep's folder that says what its cells are.
const PLAN: &str = "sweep.json";

/// `sweep.json`: the runs of a sweep, in their order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plan {
    /// [`SWEEP_VERSION`] of the writer.
    pub v: u32,
    /// The runs; the first of each model is its baseline.
    pub cells: Vec<Cell>,
    /// What makes no sense.
    pub skipped: Vec<Skipped>,
}

/// One run of a sweep.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cell {
    /// The name of its run directory.
    pub name: String,
    /// The flags of `eval run`.
    pub flags: RunArgs,
}

/// A combination that is not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The flags in which it differs from the other cells.
    pub cell: String,
    /// Why it makes no sense.
    pub reason: String,
}

/// Why a sweep cannot be made or gone on with.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The flags of a cell are no flags of `eval run`.
    #[error("cell `{cell}`: {problem}")]
    Flags {
        /// The flags in which it differs from the others.
        cell: String,
        /// What clap has to say, less its usage.
        problem: String,
    },
    /// A setting of a cell is wrong, and not only for that cell.
    #[error("cell `{cell}`: {problem}")]
    Settings {
        /// The flags in which it differs from the others.
        cell: String,
        /// What is wrong.
        problem: Box<SettingsError>,
    },
    /// The folder is there already.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The folder holds no sweep.
    #[error("{} holds no sweep: it has no {PLAN}", .0.display())]
    NotASweep(PathBuf),
    /// The plan cannot be used.
    #[error("{}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
}

impl Plan {
    /// The cells of a matrix: for each model `direct` once, then every combination that makes sense.
    ///
    /// # Errors
    /// [`SweepError`] for flags that are wrong in any cell.
    pub fn of(matrix: &Matrix) -> Result<Self, SweepError> {
        let mut plan = Self {
            v: SWEEP_VERSION,
            cells: Vec::new(),
            skipped: Vec::new(),
        };
        for combination in combinations(matrix) {
            plan.add(matrix, &combination)?;
        }
        Ok(plan)
    }

    fn add(&mut self, matrix: &Matrix, combination: &Combination) -> Result<(), SweepError> {
        let cell = combination.to_string();
        let flags = flags(matrix, combination).map_err(|problem| SweepError::Flags {
            cell: cell.clone(),
            problem,
        })?;
        let reason = match RunSettings::resolve(&flags) {
            Ok(resolved) => {
                let engine = &resolved.settings.engine;
                warnings(engine.prompt_mode, &engine.drivers).join("; ")
            }
            Err(
                problem @ (SettingsError::NothingToDelegateTo { .. }
                | SettingsError::CoordinatorWithoutRepl { .. }),
            ) => problem.to_string(),
            Err(problem) => {
                let problem = Box::new(problem);
                return Err(SweepError::Settings { cell, problem });
            }
        };
        if reason.is_empty() {
            let name = format!("{:02}-{}", self.cells.len() + 1, combination.name(matrix));
            self.cells.push(Cell { name, flags });
        } else {
            self.skipped.push(Skipped { cell, reason });
        }
        Ok(())
    }

    /// Takes a cell out of those that are run.
    pub fn skip(&mut self, cell: &Cell, reason: String) {
        self.cells.retain(|other| other.name != cell.name);
        let cell = cell.name.clone();
        self.skipped.push(Skipped { cell, reason });
    }

    /// For each cell the place of the one that it is measured by: the direct call of its own model, or its model's first cell
    /// where the benchmark has no direct calls.
    pub fn baselines(&self) -> Vec<usize> {
        let of = |cell: &Cell| {
            let is_direct =
                |other: &Cell| other.flags.engine.guidance.protocol.as_str() == BASELINE;
            let same = |other: &Cell| other.flags.engine.model == cell.flags.engine.model;
            let mut cells = self.cells.iter();
            let direct = cells.position(|other| same(other) && is_direct(other));
            direct.or_else(|| self.cells.iter().position(same))
        };
        let found = self.cells.iter().map(of);
        found.map(Option::unwrap_or_default).collect()
    }

    /// Makes the folder of a sweep, and in it the plan. A folder without anything in it is one that an earlier start made
    /// and was killed in.
    ///
    /// # Errors
    /// [`SweepError::Exists`], or [`SweepError::RunDir`] if it cannot be written.
    pub fn create(&self, folder: &Path) -> Result<(), SweepError> {
        if folder.exists() && !is_unbegun(folder) {
            return Err(SweepError::Exists(folder.to_owned()));
        }
        fs::create_dir_all(folder).map_err(|reason| RunDirError::Create {
            folder: folder.to_owned(),
            reason,
        })?;
        let path = folder.join(PLAN);
        let text = serde_json::to_string_pretty(self).map_err(|reason| RunDirError::Write {
            path: path.clone(),
            reason: reason.into(),
        })?;
        Ok(write_whole(&path, (text + "\n").as_bytes())?)
    }

    /// Reads the plan of the sweep in a folder.
    ///
    /// # Errors
    /// [`SweepError`] if the folder holds none, or one that is malformed or of a later version.
    pub fn read(folder: &Path) -> Result<Self, SweepError> {
        let path = folder.join(PLAN);
        if !path.is_file() {
            return Err(SweepError::NotASweep(folder.to_owned()));
        }
        let text = fs::read_to_string(&path).map_err(|reason| RunDirError::Read {
            path: path.clone(),
            reason,
        })?;
        let malformed = |problem: String| SweepError::Malformed {
            path: path.clone(),
            problem,
        };
        let plan: Self =
            serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        if plan.v > SWEEP_VERSION {
            return Err(malformed(format!(
                "version {}, and this program knows versions up to {SWEEP_VERSION}",
                plan.v
            )));
        }
        // A name becomes a path below the folder, and nowhere else.
        let inside = |cell: &Cell| !cell.name.is_empty() && cell.name == safe(&cell.name);
        if let Some(cell) = plan.cells.iter().find(|cell| !inside(cell)) {
            return Err(malformed(format!("`{}` is no name of a cell", cell.name)));
        }
        Ok(plan)
    }
}

/// Whether a folder holds nothing but what is left of a plan that was never written to its end.
fn is_unbegun(folder: &Path) -> bool {
    let unfinished = format!("{PLAN}.tmp");
    let Ok(mut entries) = fs::read_dir(folder) else {
        return false;
    };
    entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == *unfinished))
}

/// Characters of a cell's name; with the number before it, still a file name everywhere.
const LONGEST: usize = 100;

/// One combination of the matrix.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Combination {
    model: Option<String>,
    protocol: String,
    /// Prompt mode, depth and drivers; a direct call has none of them.
    agent: Option<(String, String, Vec<String>)>,
}

/// All combinations, each once.
fn combinations(matrix: &Matrix) -> Vec<Combination> {
    let models: Vec<Option<String>> = if matrix.models.is_empty() {
        vec![None]
    } else {
        matrix.models.iter().cloned().map(Some).collect()
    };
    let mut all: Vec<Combination> = models
        .iter()
        .map(|model| Combination {
            model: model.clone(),
            protocol: BASELINE.to_owned(),
            agent: None,
        })
        .collect();
    for model in &models {
        for protocol in &matrix.protocols {
            for mode in &matrix.prompt_modes {
                for depth in &matrix.depths {
                    all.extend(matrix.driver_sets.iter().map(|drivers| Combination {
                        model: model.clone(),
                        protocol: protocol.clone(),
                        agent: Some((mode.clone(), depth.clone(), drivers.clone())),
                    }));
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    all.retain(|combination| seen.insert(combination.clone()));
    all
}

impl Combination {
    /// As flags of `eval run`, without those that all cells share.
    fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let mut add = |name: &str, value: &str| {
            flags.extend([name.to_owned(), value.to_owned()]);
        };
        if let Some(model) = &self.model {
            add("--model", model);
        }
        add("--protocol", &self.protocol);
        if let Some((mode, depth, drivers)) = &self.agent {
            add("--prompt-mode", mode);
            add("--max-depth", depth);
            add("--drivers", &drivers.join(","));
        } else {
            add("--prompt-mode", "solver");
            add("--drivers", "");
        }
        flags
    }

    /// What tells the cell from the others, as the name of a folder.
    fn name(&self, matrix: &Matrix) -> String {
        let mut parts = Vec::new();
        if matrix.models.len() > 1 {
            parts.extend(self.model.clone());
        }
        if matrix.protocols.len() > 1 || self.agent.is_none() {
            parts.push(self.protocol.clone());
        }
        if let Some((mode, depth, drivers)) = &self.agent {
            parts.push(mode.clone());
            if matrix.depths.len() > 1 {
                parts.push(format!("depth{depth}"));
            }
            parts.extend((!drivers.is_empty()).then(|| drivers.join("+")));
        }
        safe(&parts.join("-")).chars().take(LONGEST).collect()
    }
}

/// For messages: `--protocol rlm --prompt-mode coordinator --max-depth 1`.
impl std::fmt::Display for Combination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let flags = self.flags();
        let pairs = flags.chunks_exact(2).filter(|pair| !pair[1].is_empty());
        let pairs: Vec<String> = pairs.map(|pair| pair.join(" ")).collect();
        f.write_str(&pairs.join(" "))
    }
}

fn safe(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    let name: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .collect();
    name.trim_start_matches('.').to_owned()
}

/// A flag with its values as words of a command line: several in one word where the flag takes them so, and a switch
/// that is `true` without any.
fn shared(command: &clap::Command, name: &str, values: &[String]) -> Vec<String> {
    let known = command
        .get_arguments()
        .find(|argument| argument.get_long() == Some(name));
    let is_switch = known.is_some_and(|argument| !argument.get_action().takes_values());
    let delimiter = known.and_then(clap::Arg::get_value_delimiter);
    match (values, delimiter) {
        ([], _) => vec![format!("--{name}")],
        ([value], _) if is_switch && value == "true" => vec![format!("--{name}")],
        ([value], _) if is_switch && value == "false" => Vec::new(),
        (values, Some(delimiter)) => {
            vec![format!("--{name}={}", values.join(&delimiter.to_string()))]
        }
        (values, None) => values
            .iter()
            .map(|value| format!("--{name}={value}"))
            .collect(),
    }
}

/// The flags of a cell, parsed as those of `eval run` are.
fn flags(matrix: &Matrix, combination: &Combination) -> Result<RunArgs, String> {
    let command = RunArgs::augment_args(clap::Command::new("run"));
    let mut words = vec!["eval".to_owned(), "run".to_owned()];
    for (name, values) in &matrix.run {
        if name == "model" && combination.model.is_some() {
            continue;
        }
        words.extend(shared(&command, name, values));
    }
    let own = combination.flags();
    words.extend(own.chunks_exact(2).map(|pair| pair.join("=")));
    match cli::parse(words) {
        Ok(cli) => match cli.command {
            Command::Run(args) => Ok(*args),
            _ => Err("these are no flags of a new run".to_owned()),
        },
        Err(error) => {
            let text = error.render().to_string();
            let first = text.split("\n\n").next().unwrap_or_default();
            let first: Vec<&str> = first.split_whitespace().collect();
            Err(first.join(" ").trim_start_matches("error: ").to_owned())
        }
    }
}
