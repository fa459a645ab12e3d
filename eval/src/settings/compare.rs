//! Settings of `rlm-eval compare`.

use std::fs;
use std::path::{Path, PathBuf};

use report::compare::Against;

use super::SettingsError;
use crate::cli::CompareArgs;

/// Runs to compare, and the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompareSettings {
    /// Run directories or CSV files; at least two, without duplicates.
    pub runs: Vec<PathBuf>,
    /// Files without scores, which a glob may have matched.
    pub skipped: Vec<PathBuf>,
    /// Pairs of runs to compare.
    pub against: Against,
    /// Whether the runs may differ in benchmark, dataset and scorer.
    pub allow_mismatch: bool,
    /// Scorer whose scores from `rlm-eval score` are used instead of those of the runs.
    pub scores: Option<String>,
    /// CSV file for the comparisons.
    pub csv: Option<PathBuf>,
    /// Whether to print JSON instead of tables.
    pub json: bool,
}

impl CompareSettings {
    /// Resolves the flags of a comparison.
    ///
    /// # Errors
    /// [`SettingsError`] for a run that is listed twice, and for a `--csv` that would overwrite a
    /// run or one of its files.
    pub fn resolve(args: &CompareArgs) -> Result<Self, SettingsError> {
        let (runs, skipped) = without_other_files(&args.runs);
        if let (true, Some(first)) = (runs.len() < 2, skipped.first()) {
            return Err(SettingsError::new(format!(
                "fewer than two runs: {} is neither a run directory nor a CSV file of scores",
                first.display()
            )));
        }
        let places: Vec<PathBuf> = runs.iter().map(|run| place(run)).collect();
        for (index, place) in places.iter().enumerate() {
            if places[..index].contains(place) {
                return Err(SettingsError::new(format!(
                    "duplicate run {}: a run cannot be compared with itself",
                    runs[index].display()
                )));
            }
        }
        if args.scores.is_some()
            && let Some(file) = runs.iter().find(|run| run.is_file())
        {
            return Err(SettingsError::new(format!(
                "--scores: {} is a CSV file, which has only its own scores",
                file.display()
            )));
        }
        if let Some(csv) = &args.csv {
            let csv_place = place(csv);
            if places.iter().any(|run| csv_place.starts_with(run)) {
                return Err(SettingsError::new(format!(
                    "--csv {}: this would overwrite a compared run or one of its files",
                    csv.display()
                )));
            }
        }
        Ok(Self {
            runs,
            skipped,
            against: if args.all_pairs {
                Against::All
            } else {
                Against::First
            },
            allow_mismatch: args.allow_mismatch,
            scores: args.scores.clone(),
            csv: args.csv.clone(),
            json: args.json,
        })
    }
}

/// Extensions of files that are stored next to runs and contain no scores.
const OTHER_FILES: [&str; 6] = ["html", "json", "jsonl", "log", "md", "yaml"];

/// Separates files that are stored next to runs, such as `report.html`, because a glob also matches
/// them.
fn without_other_files(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let is_score = |path: &PathBuf| {
        let is_of_sweep =
            path.ends_with("comparison.csv") && path.with_file_name("sweep.json").is_file();
        let ending = path.extension().unwrap_or_default();
        let is_other = OTHER_FILES.iter().any(|other| ending == *other) || is_of_sweep;
        !(path.is_file() && is_other)
    };
    paths.iter().cloned().partition(is_score)
}

/// Returns the canonical path of a file. For a missing file, returns the canonical path of its
/// folder followed by its name.
fn place(path: &Path) -> PathBuf {
    if let Ok(place) = fs::canonicalize(path) {
        return place;
    }
    // A bare file name refers to the current folder.
    let folder = path.parent().map(|folder| {
        if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        }
    });
    match (folder.map(fs::canonicalize), path.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
