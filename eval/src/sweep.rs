//! The plan of a sweep: its cells, what of its matrix makes no sense, and the file that holds both.

mod cells;

use std::fs;
use std::path::{Path, PathBuf};

use harness::treatment::Inert;
use serde::{Deserialize, Serialize};

use crate::cli::{RunArgs, SweepBudgetArgs};
use crate::settings::{BASELINE, Matrix, SettingsError};

use cells::{Cells, combinations};
use records::run_dir::{RunDirError, sweep_id, write_whole};
use report::race::RaceHeader;

/// Version of [`Plan`]; the file carries it as `v`.
pub const SWEEP_VERSION: u32 = 1;

/// The file of a sweep's folder that says what its cells are.
const PLAN: &str = "sweep.json";

/// `sweep.json`: the runs of a sweep, in their order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plan {
    /// [`SWEEP_VERSION`] of the writer.
    pub v: u32,
    /// Identifies the sweep, whatever its folder is called; empty in plans of earlier versions.
    #[serde(default)]
    pub id: String,
    /// The runs; the first of each model is its baseline.
    pub cells: Vec<Cell>,
    /// What makes no sense.
    pub skipped: Vec<Skipped>,
    /// Shared flags that change nothing in a cell, and are left out there.
    #[serde(default)]
    pub left_out: Vec<Skipped>,
    /// What all cells together may use.
    #[serde(default, skip_serializing_if = "SweepBudgetArgs::is_unlimited")]
    pub budget: SweepBudgetArgs,
    /// What its race goes by, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<RaceHeader>,
}

/// One run of a sweep.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cell {
    /// The name of its run directory.
    pub name: String,
    /// The flags of `rlm-eval run`.
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
    /// The flags of a cell are no flags of `rlm-eval run`.
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
    /// Two cells would be one experiment under two names.
    #[error(
        "cells `{first}` and `{second}` would send the same to the same model; leave one of them out"
    )]
    SameCells {
        /// The name of the earlier one.
        first: String,
        /// The flags in which the later one differs from the others.
        second: String,
    },
    /// Two cells that differ in prompts alone, of a recording that answers none of them.
    #[error(
        "cells `{first}` and `{second}` play one recording back, and no prompt changes what it says; leave one of them out"
    )]
    SameRecording {
        /// The name of the earlier one.
        first: String,
        /// The name of the later one.
        second: String,
    },
    /// A flag that all cells share and none of them has a place for.
    #[error("a shared flag fits no cell: {0}")]
    InertEverywhere(Box<Inert>),
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
    /// [`SweepError`] for flags that are wrong in any cell, for shared flags that change nothing in any, and for two cells
    /// whose agents would get the same.
    pub fn of(matrix: &Matrix) -> Result<Self, SweepError> {
        let mut cells = Cells::default();
        for combination in combinations(matrix) {
            cells.add(matrix, combination)?;
        }
        cells.plan()
    }

    /// The id of a cell's run, which no cell of another sweep has.
    pub fn run_id(&self, cell: &Cell) -> String {
        if self.id.is_empty() {
            cell.name.clone()
        } else {
            format!("{}-{}", self.id, cell.name)
        }
    }

    /// Whether a folder is that of a sweep.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(PLAN).is_file()
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
            // The same model, sampled alike.
            let same = |other: &Cell| {
                let (own, its) = (&cell.flags.engine.models, &other.flags.engine.models);
                other.flags.engine.model == cell.flags.engine.model
                    && own.temperature == its.temperature
                    && own.effort == its.effort
            };
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
    pub fn create(&mut self, folder: &Path) -> Result<(), SweepError> {
        if folder.exists() && !is_unbegun(folder) {
            return Err(SweepError::Exists(folder.to_owned()));
        }
        fs::create_dir_all(folder).map_err(|reason| RunDirError::Create {
            folder: folder.to_owned(),
            reason,
        })?;
        self.id = sweep_id(folder);
        self.write(folder)
    }

    /// Writes the plan into the folder of its sweep, whole or not at all.
    ///
    /// # Errors
    /// [`SweepError::RunDir`].
    pub fn write(&self, folder: &Path) -> Result<(), SweepError> {
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

/// A text as a part of a path.
fn safe(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    let name: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .collect();
    name.trim_start_matches('.').to_owned()
}
