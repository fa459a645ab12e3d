//! Finds the runs and sweeps in folders, at any depth.
//!
//! Each run is listed once, even if several paths lead to it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use records::run_dir::RunDir;
use report::FoundSweep;
use report::race::{RaceError, RaceLog};

use crate::process::terminal;
use crate::sweep::{Plan, SweepError};

/// Runs and sweeps found in folders.
#[derive(Debug, Default)]
pub struct Found {
    /// Run directories without duplicates: runs of a folder by name, runs of a sweep in cell order.
    pub runs: Vec<PathBuf>,
    /// Sweeps that contain some of the runs.
    pub sweeps: Vec<FoundSweep>,
    /// Skipped runs, each with the reason.
    pub left_out: Vec<String>,
    /// Canonical paths of the runs.
    seen: BTreeSet<PathBuf>,
}

/// Reason why the runs of a folder cannot be reported.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// Path of the folder.
        path: PathBuf,
        /// Cause reported by the system.
        reason: io::Error,
    },
    /// The folder contains no run or sweep at any depth.
    #[error("{} does not contain a run or a sweep", .0.display())]
    Nothing(PathBuf),
    /// The folder is a sweep whose cells have not started.
    #[error("no cell of the sweep in {} has started", .0.display())]
    NotBegun(PathBuf),
    /// The plan of a sweep is invalid.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// The log of a race is invalid.
    #[error(transparent)]
    Race(#[from] RaceError),
}

/// Skips files, each with a note, because a glob also matches those next to runs. If there are only
/// files, returns them, so that the error names the first one.
pub(crate) fn folders_among(paths: &[PathBuf]) -> Vec<PathBuf> {
    let (files, folders): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| path.is_file());
    if folders.is_empty() {
        return files;
    }
    for path in &files {
        terminal::note(&skipped(path));
    }
    folders
}

/// Returns the note about a skipped file.
pub(crate) fn skipped(path: &Path) -> String {
    format!("skipped {}: it is a file, not a run", path.display())
}

impl Found {
    /// Finds the runs and sweeps in these folders. Each may be a run, a sweep, or a folder that
    /// contains runs or sweeps at any depth.
    ///
    /// # Errors
    /// [`FolderError`] for a folder that cannot be read or contains nothing to report.
    pub fn below(folders: &[PathBuf]) -> Result<Self, FolderError> {
        let mut found = Self::default();
        for folder in folders {
            let sweeps = found.sweeps.len();
            found.visit(folder)?;
            if !found.holds_runs_of(folder) {
                let path = folder.clone();
                return Err(if found.sweeps.len() > sweeps {
                    FolderError::NotBegun(path)
                } else {
                    FolderError::Nothing(path)
                });
            }
        }
        Ok(found)
    }

    /// Returns one sweep with the runs of its started cells.
    ///
    /// # Errors
    /// [`FolderError::Race`] for an invalid race log.
    pub fn of_sweep(folder: &Path, plan: &Plan) -> Result<Self, FolderError> {
        let mut found = Self::default();
        found.add_sweep(folder, plan)?;
        Ok(found)
    }

    /// Whether runs in this folder were found before, possibly through another path.
    fn holds_runs_of(&self, folder: &Path) -> bool {
        fs::canonicalize(folder)
            .is_ok_and(|folder| self.seen.iter().any(|run| run.starts_with(&folder)))
    }

    fn visit(&mut self, folder: &Path) -> Result<(), FolderError> {
        if RunDir::is_whole(folder) {
            self.add(folder);
            return Ok(());
        }
        let mut cells = BTreeSet::new();
        if Plan::is_in(folder) {
            let plan = Plan::read(folder)?;
            self.add_sweep(folder, &plan)?;
            cells = plan.cells.into_iter().map(|cell| cell.name).collect();
        }
        for (name, path) in folders_in(folder)? {
            if cells.contains(&name) {
                continue;
            }
            if !RunDir::is_whole(&path) && RunDir::is_begun(&path) {
                self.left_out.push(format!(
                    "skipped {}: it is an incomplete run directory",
                    path.display()
                ));
                continue;
            }
            match self.visit(&path) {
                Err(error @ FolderError::Read { .. }) => {
                    self.left_out.push(format!("skipped: {error}"));
                }
                visited => visited?,
            }
        }
        Ok(())
    }

    /// Adds a run unless it was found before, and returns its index.
    fn add(&mut self, run: &Path) -> usize {
        let place = fs::canonicalize(run).unwrap_or_else(|_| run.to_owned());
        if self.seen.insert(place.clone()) {
            self.runs.push(run.to_owned());
            return self.runs.len() - 1;
        }
        let is_it = |other: &PathBuf| fs::canonicalize(other).is_ok_and(|other| other == place);
        self.runs.iter().position(is_it).unwrap_or_default()
    }

    fn add_sweep(&mut self, folder: &Path, plan: &Plan) -> Result<(), FolderError> {
        let race = RaceLog::read(folder)?;
        let mut begun: Vec<(usize, String, usize)> = Vec::new();
        let mut not_begun = Vec::new();
        for (index, cell) in plan.cells.iter().enumerate() {
            let path = folder.join(&cell.name);
            if RunDir::is_whole(&path) {
                let place = self.add(&path);
                begun.push((index, cell.name.clone(), place));
            } else {
                not_begun.push(cell.name.clone());
            }
        }
        let place_of = |folder: &Path| fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
        if (self.sweeps.iter()).any(|sweep| place_of(&sweep.folder) == place_of(folder)) {
            return Ok(());
        }
        let baselines = plan.baselines();
        let place = |index: usize| begun.iter().find(|cell| cell.0 == index).map(|cell| cell.2);
        let baselines = begun.iter().map(|(index, _, own)| {
            let baseline = baselines.get(*index).copied();
            baseline.and_then(place).unwrap_or(*own)
        });
        self.sweeps.push(FoundSweep {
            folder: folder.to_owned(),
            not_begun,
            baselines: baselines.collect(),
            race,
            cells: begun
                .into_iter()
                .map(|(_, name, place)| (name, place))
                .collect(),
        });
        Ok(())
    }
}

/// Lists the folders in a folder by name, skipping hidden folders and links, which may form cycles.
fn folders_in(folder: &Path) -> Result<Vec<(String, PathBuf)>, FolderError> {
    let unreadable = |reason| FolderError::Read {
        path: folder.to_owned(),
        reason,
    };
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type().map_err(unreadable)?.is_dir();
        if is_folder && !name.starts_with('.') {
            folders.push((name, entry.path()));
        }
    }
    folders.sort();
    Ok(folders)
}
