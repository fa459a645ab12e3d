//! Flags of `rlm-eval compare`, and their checks.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use report::compare::Against;

use crate::settings::SettingsError;
use crate::settings::flags::NotFromFile;

/// The flags of `rlm-eval compare`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct CompareArgs {
    /// Run directories or CSV files, two or more; each run is compared with the first. Other files
    /// that a glob matches (report.html, sweep.json) are skipped
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    pub runs: Vec<PathBuf>,

    /// Compare every pair of runs, instead of each run with the first
    #[arg(long)]
    pub all_pairs: bool,

    /// Compare runs even if their benchmark, dataset or scorer differ
    #[arg(long, add = NotFromFile)]
    pub allow_mismatch: bool,

    /// Use the scores that `rlm-eval score --scorer NAME` computed, instead of those of the run;
    /// NAME with or without version
    #[arg(long, value_name = "NAME")]
    pub scores: Option<String>,

    /// Also write the comparisons to this CSV file; an existing file is replaced
    #[arg(long, value_name = "FILE", add = NotFromFile)]
    pub csv: Option<PathBuf>,

    /// Print the comparison as JSON, with the scores of each sample, instead of tables
    #[arg(long)]
    pub json: bool,
}

impl CompareArgs {
    /// Returns the runs to compare, at least two and without duplicates, and the files without
    /// scores, which a glob may have matched.
    ///
    /// # Errors
    /// [`SettingsError`] for fewer than two runs, a run that is listed twice, `--scores` with a CSV
    /// file, or a `--csv` that would overwrite a run or one of its files.
    pub fn runs(&self) -> Result<(Vec<PathBuf>, Vec<PathBuf>), SettingsError> {
        let (runs, skipped) = without_other_files(&self.runs);
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
        if self.scores.is_some()
            && let Some(file) = runs.iter().find(|run| run.is_file())
        {
            return Err(SettingsError::new(format!(
                "--scores: {} is a CSV file, which has only its own scores",
                file.display()
            )));
        }
        if let Some(csv) = &self.csv {
            let csv_place = place(csv);
            if places.iter().any(|run| csv_place.starts_with(run)) {
                return Err(SettingsError::new(format!(
                    "--csv {}: this would overwrite a compared run or one of its files",
                    csv.display()
                )));
            }
        }
        Ok((runs, skipped))
    }

    /// Returns the pairs of runs to compare.
    pub const fn against(&self) -> Against {
        if self.all_pairs {
            Against::All
        } else {
            Against::First
        }
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

const EXAMPLES: &str = "\
Prints the differences in settings between the runs first. Runs are paired by sample; a sample with \
several attempts counts with its mean. For each pair of runs: the difference with its 95 % interval and \
clustered standard error, the p value of the corresponding test (Tango's score test if \
every sample is right or wrong, otherwise a t test), wins, losses and ties, and the smallest difference that runs of this size detect with a power of 80 %. If there are \
several comparisons, p values are corrected by Holm's method. With three or more runs, the best three \
of the later ones are also compared with each other, corrected over all their pairs. If attempts \
ended in an error, everything is shown twice: with errors excluded, and with errors as zero. See docs/concepts/statistics.md.

A CSV file such as results.csv has a header and a row for each attempt: columns id (or sample) and score \
(0 to 1; empty for none), and optionally attempt, cluster, status, dataset_digest and scorer.

Exit code 4: no two runs have a scored sample in common.

Examples:
  rlm-eval compare results/s-niah-solver-* results/s-niah-coordinator-*
  rlm-eval compare baseline.csv results/s-niah-solver-20261121-092406-5f3a --csv compared.csv
  rlm-eval compare results/s-niah-solver-* results/s-niah-coordinator-* --scores exact
  rlm-eval compare a.csv b.csv c.csv --all-pairs --json > compared.json";
