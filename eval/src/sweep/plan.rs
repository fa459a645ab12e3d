//! The plan of a sweep: its cells, the skipped combinations, and the file that stores both.

use std::fs;
use std::path::{Path, PathBuf};

use harness::treatment::NoEffect;
use records::run_dir::{RunDirError, sweep_id, write_whole};
use report::race::RaceHeader;
use serde::{Deserialize, Serialize};

use super::matrix::BASELINE;
use super::settings::SweepBudgetArgs;
use crate::settings::{RunArgs, SettingsError};

/// Version of [`Plan`], stored as `v`.
pub const SWEEP_VERSION: u32 = 1;

/// Name of the file with the plan in a sweep's folder.
const PLAN: &str = "sweep.json";

/// Contents of `sweep.json`: the runs of a sweep, in order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plan {
    /// [`SWEEP_VERSION`] of the writer.
    pub v: u32,
    /// Id of the sweep, independent of the folder's name; empty in plans of earlier versions.
    #[serde(default)]
    pub id: String,
    /// Runs of the sweep, baselines first.
    pub cells: Vec<Cell>,
    /// Combinations that are not run.
    pub skipped: Vec<Skipped>,
    /// Shared flags omitted from cells in which they have no effect.
    #[serde(default)]
    pub left_out: Vec<Skipped>,
    /// Budget for all cells together.
    #[serde(default, skip_serializing_if = "SweepBudgetArgs::is_unlimited")]
    pub budget: SweepBudgetArgs,
    /// Header of the race, if the sweep is a race.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<RaceHeader>,
}

/// One run of a sweep.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cell {
    /// Name of the run directory.
    pub name: String,
    /// Flags of `rlm-eval run`.
    pub flags: RunArgs,
}

/// A combination that is not run, or a flag that a cell omits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Distinguishing flags of the combination, or name of the cell.
    pub cell: String,
    /// Reason why it is skipped or omitted.
    pub reason: String,
}

/// Reason why a sweep cannot be created or resumed.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The flags of a cell, two cells together, or the plan are invalid.
    #[error("{0}")]
    Invalid(String),
    /// A setting of a cell is invalid for a reason other than the combination of axes.
    #[error("cell `{cell}`: {problem}")]
    Settings {
        /// Flags in which the cell differs from the others.
        cell: String,
        /// Error in the settings.
        problem: Box<SettingsError>,
    },
    /// A shared flag has no effect in any cell.
    #[error("a shared flag has no effect in any cell: {0}")]
    NoEffectAnywhere(Box<NoEffect>),
    /// The folder already exists.
    #[error("{} already exists", .0.display())]
    Exists(PathBuf),
    /// The folder is not a sweep.
    #[error("{} is not a sweep: {PLAN} is missing", .0.display())]
    NotASweep(PathBuf),
    /// A file cannot be read or written.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
}

impl Plan {
    /// Returns the run id of a cell, which is unique across sweeps.
    pub fn run_id(&self, cell: &Cell) -> String {
        if self.id.is_empty() {
            cell.name.clone()
        } else {
            format!("{}-{}", self.id, cell.name)
        }
    }

    /// Whether a folder contains a sweep.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(PLAN).is_file()
    }

    /// Moves a cell to the skipped combinations.
    pub fn skip(&mut self, cell: &Cell, reason: String) {
        self.cells.retain(|other| other.name != cell.name);
        let cell = cell.name.clone();
        self.skipped.push(Skipped { cell, reason });
    }

    /// Returns the index of each cell's baseline: the `direct` cell of the same model, otherwise
    /// the model's first cell.
    pub fn baselines(&self) -> Vec<usize> {
        let of = |cell: &Cell| {
            let is_direct =
                |other: &Cell| other.flags.engine.guidance.protocol.as_str() == BASELINE;
            // Same model with the same sampling settings.
            let same = |other: &Cell| {
                let (own, its) = (&cell.flags.engine.models, &other.flags.engine.models);
                other.flags.engine.model == cell.flags.engine.model
                    && own.sampling.temperature == its.sampling.temperature
                    && own.sampling.effort == its.sampling.effort
            };
            let mut cells = self.cells.iter();
            let direct = cells.position(|other| same(other) && is_direct(other));
            direct.or_else(|| self.cells.iter().position(same))
        };
        let found = self.cells.iter().map(of);
        found.map(Option::unwrap_or_default).collect()
    }

    /// Creates the folder of a sweep with its plan. Accepts an existing folder that is empty except
    /// for a partially written plan.
    ///
    /// # Errors
    /// [`SweepError::Exists`], or [`SweepError::RunDir`] if the plan cannot be written.
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

    /// Writes the plan atomically into the folder of its sweep.
    ///
    /// # Errors
    /// [`SweepError::RunDir`] if the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), SweepError> {
        let path = folder.join(PLAN);
        let text = serde_json::to_string_pretty(self)
            .map_err(|reason| RunDirError::cannot_write(&path, reason.into()))?;
        Ok(write_whole(&path, (text + "\n").as_bytes())?)
    }

    /// Reads the plan of the sweep in a folder.
    ///
    /// # Errors
    /// [`SweepError`] if the plan in the folder is missing, malformed or of a later version.
    pub fn read(folder: &Path) -> Result<Self, SweepError> {
        let path = folder.join(PLAN);
        if !path.is_file() {
            return Err(SweepError::NotASweep(folder.to_owned()));
        }
        let text =
            fs::read_to_string(&path).map_err(|reason| RunDirError::cannot_read(&path, reason))?;
        let malformed =
            |problem: String| SweepError::Invalid(format!("{}: {problem}", path.display()));
        let plan: Self =
            serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        if plan.v > SWEEP_VERSION {
            return Err(malformed(format!(
                "version {} is not supported; this program reads versions up to {SWEEP_VERSION}",
                plan.v
            )));
        }
        // A cell's name becomes a path, which must stay inside the folder.
        let inside = |cell: &Cell| !cell.name.is_empty() && cell.name == safe(&cell.name);
        if let Some(cell) = plan.cells.iter().find(|cell| !inside(cell)) {
            return Err(malformed(format!("invalid cell name `{}`", cell.name)));
        }
        Ok(plan)
    }
}

/// Whether a folder is empty except for a partially written plan.
fn is_unbegun(folder: &Path) -> bool {
    let unfinished = format!("{PLAN}.tmp");
    let Ok(mut entries) = fs::read_dir(folder) else {
        return false;
    };
    entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == *unfinished))
}

/// Makes a name safe as a path component: replaces special characters and removes leading dots.
pub(super) fn safe(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    let name: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .collect();
    name.trim_start_matches('.').to_owned()
}
